/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PID 1 of the clock's tests.  The kernel's command line says what to do:
 * QBTEST=busy:  for 1, 2, 4 … cpus, all of them run the same loop; prints the time it took;
 * QBTEST=hash:  stops the machine for a snapshot; then runs a loop of a known number of
 *               instructions between two marks; then 8 threads take one mutex in turn and mix their
 *               number into a hash, so that the hash tells in which order they got it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MOST 64
#define HASH_THREADS 8
#define HASH_ROUNDS 3000
#define BUSY_ROUNDS 20000000
#define COUNTED_ROUNDS 1000000
#define CLOCK_PORT 0x5b0

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t hash = 14695981039346656037u;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void *busy(void *arg)
{
    int cpu = (int)(intptr_t)arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
    pthread_barrier_wait(&barrier);

    int64_t start = now_ns();

    for (volatile int i = 0; i < BUSY_ROUNDS; i++) {
    }
    return (void *)(intptr_t)(now_ns() - start);
}

static int64_t slowest(int threads, void *(*body)(void *))
{
    pthread_t ids[THREADS_MOST];
    int64_t most = 0;

    pthread_barrier_init(&barrier, NULL, threads);
    for (intptr_t i = 0; i < threads; i++) {
        pthread_create(&ids[i], NULL, body, (void *)i);
    }
    for (int i = 0; i < threads; i++) {
        void *ns;

        pthread_join(ids[i], &ns);
        most = (intptr_t)ns > most ? (intptr_t)ns : most;
    }
    return most;
}

static void *mix(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < HASH_ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        hash = (hash ^ (uint64_t)(intptr_t)arg) * 1099511628211u;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* Marks the counts before and after 2 * COUNTED_ROUNDS + 1 instructions that nothing interrupts. */
static void counted(void)
{
    uint64_t rounds = COUNTED_ROUNDS;

    __asm__ volatile("cli\n"
                     "outl %%eax, %%dx\n"
                     "1: dec %0\n"
                     "jnz 1b\n"
                     "outl %%eax, %%dx\n"
                     "sti"
                     : "+r"(rounds)
                     : "a"(2), "d"(CLOCK_PORT)
                     : "cc", "memory");
}

/* Interrupts by cpu are part of what must repeat. */
static void mix_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];

    while (file && fgets(line, sizeof(line), file)) {
        for (const char *c = line; *c; c++) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
    }
    if (file) {
        fclose(file);
    }
}

int main(void)
{
    const char *test = getenv("QBTEST");

    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    if (iopl(3)) {
        perror("iopl");
    }
    if (test && !strcmp(test, "busy")) {
        int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

        for (int n = 1; n <= cpus && n <= THREADS_MOST; n *= 2) {
            printf("busy %d %" PRId64 "\n", n, slowest(n, busy));
        }
    } else if (test && !strcmp(test, "hash")) {
        printf("snapshot\n");
        fflush(stdout);
        outl(1, CLOCK_PORT);
        counted();
        slowest(HASH_THREADS, mix);
        mix_file("/proc/interrupts");
        printf("hash %016" PRIx64 " at %" PRId64 "\n", hash, now_ns());
    }
    printf("end\n");
    fflush(stdout);
    outl(1, CLOCK_PORT);
    reboot(RB_POWER_OFF);
    pause();
    return 0;
}
