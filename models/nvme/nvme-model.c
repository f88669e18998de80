/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The controller's life: creation, enable, disable, reset, shutdown, fatal status.
 * [NVMe-1.1 §3.1.5, §3.1.6, §7.3, §7.6] */
#include "nvme/nvme-internal.h"
#include <string.h>

static const char *const stages[NVME_STAGES + 1] = {[NVME_STAGE_DOORBELL] = "doorbell",
                                                    [NVME_STAGE_SQE_FETCH] = "sqe-fetch",
                                                    [NVME_STAGE_DECODE] = "decode",
                                                    [NVME_STAGE_PRP_LIST] = "prp-list",
                                                    [NVME_STAGE_MEDIA] = "media",
                                                    [NVME_STAGE_DATA] = "data",
                                                    [NVME_STAGE_CQE] = "cqe",
                                                    [NVME_STAGE_MSIX] = "msix",
                                                    NULL};

/* Admin and I/O opcodes share numbers: `qid=0` tells them apart. */
static const SimFaultWord opcodes[] = {{"flush", NVME_IO_FLUSH},
                                       {"write", NVME_IO_WRITE},
                                       {"read", NVME_IO_READ},
                                       {"write-uncorrectable", NVME_IO_WRITE_UNCORRECTABLE},
                                       {"compare", NVME_IO_COMPARE},
                                       {"write-zeroes", NVME_IO_WRITE_ZEROES},
                                       {"dsm", NVME_IO_DSM},
                                       {"delete-sq", NVME_ADMIN_DELETE_SQ},
                                       {"create-sq", NVME_ADMIN_CREATE_SQ},
                                       {"get-log", NVME_ADMIN_GET_LOG},
                                       {"delete-cq", NVME_ADMIN_DELETE_CQ},
                                       {"create-cq", NVME_ADMIN_CREATE_CQ},
                                       {"identify", NVME_ADMIN_IDENTIFY},
                                       {"abort", NVME_ADMIN_ABORT},
                                       {"set-features", NVME_ADMIN_SET_FEATURES},
                                       {"get-features", NVME_ADMIN_GET_FEATURES},
                                       {"async-event", NVME_ADMIN_ASYNC_EVENT},
                                       {"format", NVME_ADMIN_FORMAT},
                                       {"security-receive", NVME_ADMIN_SECURITY_RECEIVE},
                                       {NULL, 0}};

void nvme_model_violation(NvmeModel *self, const char *rule, const char *text)
{
    if (self->port->telemetry != NULL) {
        sim_telemetry_violation(self->port->telemetry, self->port->device, nvme_model_now(self),
                                rule, text);
    }
}

static void set_status(NvmeModel *self, uint64_t mask, uint64_t bits)
{
    self->regs[NVME_REG_CSTS] = (self->regs[NVME_REG_CSTS] & ~mask) | bits;
}

void nvme_model_fatal(NvmeModel *self, const char *rule, const char *text)
{
    nvme_model_violation(self, rule, text);
    set_status(self, NVME_FIELD_MASK(CSTS_CFS), NVME_PUT(CSTS_CFS, 1));
}

static void live_on(NvmeModel *self, NvmeLife next, SimTime after)
{
    self->next_life = next;
    sim_queue_schedule(self->port->queue, &self->life, nvme_model_now(self) + after,
                       SIM_PRIO_NORMAL);
}

static void cancel_life(NvmeModel *self)
{
    self->next_life = NVME_LIFE_NONE;
    sim_queue_cancel(self->port->queue, &self->life);
}

/* NULL: the configuration can be enabled. */
static const char *refuse_configuration(const NvmeModel *self, uint32_t cc)
{
    uint64_t cap = self->regs[NVME_REG_CAP], aqa = self->regs[NVME_REG_AQA];

    if (NVME_GET(cc, CC_MPS) < NVME_GET(cap, CAP_MPSMIN) ||
        NVME_GET(cc, CC_MPS) > NVME_GET(cap, CAP_MPSMAX)) {
        return "CC.MPS outside CAP.MPSMIN to CAP.MPSMAX";
    }
    if (NVME_GET(cc, CC_CSS) != 0) {
        return "CC.CSS selects a command set that is not supported";
    }
    if (NVME_GET(cc, CC_AMS) != 0) {
        return "CC.AMS selects an arbitration mechanism that is not supported";
    }
    if (NVME_GET(aqa, AQA_ASQS) == 0 || NVME_GET(aqa, AQA_ACQS) == 0) {
        return "an admin queue of less than two entries";
    }
    return NULL;
}

static void start_enable(NvmeModel *self)
{
    uint32_t cc = (uint32_t)self->regs[NVME_REG_CC];
    const char *refused = refuse_configuration(self, cc);
    SimTime after =
        self->enabled_before ? self->profile->ready_enable_ps : self->profile->ready_power_on_ps;

    set_status(self, NVME_FIELD_MASK(CSTS_SHST), 0);
    if (refused != NULL) {
        nvme_model_fatal(self, "NVMe-1.1 §3.1.5", refused);
        return;
    }
    self->page_shift = 12 + (unsigned)NVME_GET(cc, CC_MPS);
    self->enabled_before = true;
    live_on(self, NVME_LIFE_READY, after);
}

static void become_ready(NvmeModel *self)
{
    uint64_t aqa = self->regs[NVME_REG_AQA];
    NvmeCq *cq = nvme_model_cq_new(self, 0, self->regs[NVME_REG_ACQ],
                                   (uint32_t)NVME_GET(aqa, AQA_ACQS) + 1, 0, true);

    nvme_model_sq_new(self, 0, cq, self->regs[NVME_REG_ASQ], (uint32_t)NVME_GET(aqa, AQA_ASQS) + 1);
    self->running = true;
    set_status(self, NVME_FIELD_MASK(CSTS_RDY), NVME_PUT(CSTS_RDY, 1));
}

/* From this moment no DMA and no message leaves the device.  [NVMe-1.1 §7.3.2] */
static void drop_everything(NvmeModel *self)
{
    self->running = false;
    self->shut_down = false;
    cancel_life(self);
    nvme_model_queues_drop(self);
    nvme_model_irq_reset(self);
    nvme_model_media_reset(self);
    self->granted = self->queues - 1;
}

static void start_disable(NvmeModel *self)
{
    if (self->running) {
        self->counts[NVME_DEVICE_resets]++;
    }
    drop_everything(self);
    nvme_model_features_reset(self, false);
    set_status(self, NVME_FIELD_MASK(CSTS_CFS) | NVME_FIELD_MASK(CSTS_SHST), 0);
    if (NVME_GET(self->regs[NVME_REG_CSTS], CSTS_RDY)) {
        live_on(self, NVME_LIFE_NOT_READY, self->profile->ready_disable_ps);
    }
}

static void life_event(void *opaque)
{
    NvmeModel *self = opaque;
    NvmeLife next = self->next_life;

    self->next_life = NVME_LIFE_NONE;
    switch (next) {
    case NVME_LIFE_READY:
        become_ready(self);
        break;
    case NVME_LIFE_NOT_READY:
        set_status(self, NVME_FIELD_MASK(CSTS_RDY), 0);
        if (self->enable_again) {
            self->enable_again = false;
            start_enable(self);
        }
        break;
    case NVME_LIFE_SHUT_DOWN:
        set_status(self, NVME_FIELD_MASK(CSTS_SHST), NVME_PUT(CSTS_SHST, 2));
        break;
    case NVME_LIFE_NONE:
        break;
    }
}

static void start_shutdown(NvmeModel *self)
{
    SimTime now = nvme_model_now(self);
    SimTime drained = nvme_model_media_flush(self, now);

    self->shut_down = true;
    set_status(self, NVME_FIELD_MASK(CSTS_SHST), NVME_PUT(CSTS_SHST, 1));
    live_on(self, NVME_LIFE_SHUT_DOWN, drained - now + self->profile->shutdown_ps);
}

void nvme_model_cc_written(NvmeModel *self, uint32_t old, uint32_t now)
{
    bool was_on = NVME_GET(old, CC_EN), on = NVME_GET(now, CC_EN);
    uint64_t fixed = NVME_FIELD_MASK(CC_MPS) | NVME_FIELD_MASK(CC_CSS) | NVME_FIELD_MASK(CC_AMS);

    if (was_on && on && ((old ^ now) & fixed) != 0) {
        nvme_model_violation(self, "NVMe-1.1 §3.1.5", "CC.MPS, CSS or AMS changed while CC.EN=1");
    }
    if (!was_on && on) {
        if (self->next_life == NVME_LIFE_NOT_READY) {
            nvme_model_violation(self, "NVMe-1.1 §3.1.5",
                                 "CC.EN=1 written before CSTS.RDY fell to 0");
            self->enable_again = true;
        } else {
            start_enable(self);
        }
    } else if (was_on && !on) {
        self->enable_again = false;
        start_disable(self);
    }
    if (NVME_GET(now, CC_SHN) != 0 && NVME_GET(old, CC_SHN) == 0) {
        if (on && self->running) {
            start_shutdown(self);
        } else { /* nothing to do: answered at once */
            set_status(self, NVME_FIELD_MASK(CSTS_SHST), NVME_PUT(CSTS_SHST, 2));
        }
    }
}

void nvme_model_reset(NvmeModel *self, NvmeReset kind)
{
    nvme_model_settle(self);
    if (self->running) {
        self->counts[NVME_DEVICE_resets]++;
        if (kind == NVME_RESET_POWER_ON && NVME_GET(self->regs[NVME_REG_CSTS], CSTS_SHST) != 2) {
            self->unsafe_shutdowns++;
        }
    }
    drop_everything(self);
    self->enable_again = false;
    if (kind == NVME_RESET_POWER_ON) {
        self->enabled_before = false;
    }
    nvme_model_features_reset(self, true);
    nvme_model_regs_reset(self, true);
    nvme_model_irq_changed(self);
}

/* Nobody errs whose commands are inside when mastery goes. */
void nvme_model_bus_master(NvmeModel *self, bool on)
{
    SimTime now = nvme_model_now(self);
    bool was = self->bus_master;

    nvme_model_settle(self);
    self->bus_master = on;
    if (was || !on || !self->running) {
        return;
    }
    for (unsigned q = 0; q < self->queues; q++) {
        NvmeCommand *command = self->sqs[q] != NULL ? self->sqs[q]->live : NULL;
        for (; command != NULL; command = command->next) {
            if (command->state == NVME_AT_POST && !sim_event_scheduled(&command->event)) {
                nvme_model_schedule(command, NVME_AT_POST, now);
            }
        }
    }
    nvme_model_kick(self, now);
}

static void record_device(NvmeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;
    const SimParam *params;
    size_t n;

    if (telemetry == NULL) {
        return;
    }
    sim_telemetry_begin(telemetry, "device");
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "model", "nvme");
    sim_telemetry_str(telemetry, "profile", self->profile->name);
    sim_telemetry_str(telemetry, "slot", pcie_link_name(pcie_function_link(self->function)));
    sim_telemetry_str(telemetry, "serial", self->serial);
    sim_telemetry_end(telemetry);
    params = nvme_profile_params(&n);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *value = nvme_profile_format(self->profile, &params[i]);
        sim_telemetry_begin(telemetry, "param");
        sim_telemetry_str(telemetry, "device", self->port->device);
        sim_telemetry_str(telemetry, "key", params[i].key);
        sim_telemetry_str(telemetry, "value", value);
        sim_telemetry_str(telemetry, "source", nvme_profile_source(self->profile, params[i].key));
        sim_telemetry_end(telemetry);
    }
}

static bool add_faults(NvmeModel *self, const char *const *faults, GError **error)
{
    for (; faults != NULL && *faults != NULL; faults++) {
        if (!sim_faults_add(self->faults, *faults, error)) {
            g_prefix_error(error, "fault \"%s\": ", *faults);
            return false;
        }
    }
    return true;
}

static bool serial_fits(const char *serial, GError **error)
{
    size_t length = strlen(serial);

    for (size_t i = 0; i < length; i++) {
        if (serial[i] < 0x20 || serial[i] > 0x7e) {
            length = 0;
        }
    }
    if (length < 1 || length > 20) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE,
                    "serial \"%s\": it must have 1 to 20 ASCII characters", serial);
        return false;
    }
    return true;
}

NvmeModel *nvme_model_new(const SimPort *port, PcieFunction *function, const NvmeProfile *profile,
                          const NvmeModelOptions *options, GError **error)
{
    static const NvmeModelOptions none;
    g_autoptr(NvmeModel) self = g_new0(NvmeModel, 1);

    if (options == NULL) {
        options = &none;
    }
    self->port = port;
    self->function = function;
    self->profile = nvme_profile_ref((NvmeProfile *)profile);
    self->queues = (unsigned)profile->io_queues + 1;
    self->granted = self->queues - 1;
    self->sqs = g_new0(NvmeSq *, self->queues);
    self->cqs = g_new0(NvmeCq *, self->queues);
    self->pending = g_new0(uint64_t, (self->queues + 63) / 64);
    self->sq_counts = g_malloc0_n(self->queues, sizeof *self->sq_counts);
    self->cq_counts = g_malloc0_n(self->queues, sizeof *self->cq_counts);
    self->doorbells = g_new0(NvmeDoorbell, NVME_DOORBELLS_MOST);
    for (unsigned i = 0; i < NVME_LATENCIES; i++) {
        self->latency[i] = sim_histogram_new();
    }
    self->faults = sim_faults_new(stages);
    sim_faults_set_opcodes(self->faults, opcodes);
    sim_faults_set_queue(self->faults, port->queue);
    sim_event_init(&self->life, life_event, self);
    sim_event_init(&self->fetch, nvme_model_fetch_event, self);
    nvme_model_irq_init(self);
    self->serial = g_strdup(options->serial != NULL ? options->serial : profile->serial);
    self->lba_shift = profile->format_rows[0].lba_shift;
    self->lbas = profile->capacity_bytes >> self->lba_shift;
    self->page_shift = 12;
    self->bus_master = true;
    self->store = nvme_model_store_new(port->seed, options->fill_random,
                                       options->store_limit_bytes != 0 ? options->store_limit_bytes
                                                                       : UINT64_C(256) << 20);
    nvme_model_media_init(self);
    if (!serial_fits(self->serial, error) || !add_faults(self, options->faults, error)) {
        return NULL;
    }
    self->integral_at = nvme_model_now(self);
    nvme_model_features_reset(self, true);
    nvme_model_regs_reset(self, true);
    record_device(self);
    return g_steal_pointer(&self);
}

void nvme_model_free(NvmeModel *self)
{
    if (self == NULL) {
        return;
    }
    drop_everything(self);
    sim_queue_cancel(self->port->queue, &self->fetch);
    nvme_model_commands_free(self);
    nvme_model_media_clear(self);
    nvme_model_store_free(self->store);
    sim_faults_free(self->faults);
    for (unsigned i = 0; i < NVME_LATENCIES; i++) {
        sim_histogram_free(self->latency[i]);
    }
    g_free(self->vectors);
    g_free(self->sqs);
    g_free(self->cqs);
    g_free(self->pending);
    g_free(self->sq_counts);
    g_free(self->cq_counts);
    g_free(self->doorbells);
    g_free(self->serial);
    nvme_profile_free(self->profile);
    g_free(self);
}
