# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts QEMU as the runner does: boot to a snapshot once, then restore it, plug drives in, run."""
import json
import pathlib
import socket
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
DEVICES = HERE.parent


class Machine:
    """One QEMU under a monitor on an inherited socket pair."""

    def __init__(self, qemu, arguments, log):
        ours, theirs = socket.socketpair()
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [qemu, *arguments, "-chardev", f"socket,id=monitor,fd={theirs.fileno()}",
                 "-mon", "chardev=monitor,mode=control"],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        theirs.close()
        self.socket = ours
        self.lines = ours.makefile("r", encoding="utf-8")
        self.events = []
        self.read()
        self.command("qmp_capabilities")

    def read(self):
        line = self.lines.readline()
        if not line:
            raise EOFError
        return json.loads(line)

    def command(self, name, **arguments):
        self.socket.sendall(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = self.read()
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{name}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def wait_event(self, *names):
        while True:
            for event in self.events:
                if event["event"] in names:
                    self.events.remove(event)
                    return event
            self.events.append(self.read())

    def wait_migration(self):
        while True:
            event = self.wait_event("MIGRATION")
            if event["data"]["status"] in ("completed", "failed"):
                return event["data"]["status"]

    def wait_exit(self, timeout):
        try:
            return self.process.wait(timeout)
        finally:
            self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind:
            self.kill()


def arguments(values):
    words = []
    for line in (DEVICES / "machine-args").read_text().splitlines():
        if line and not line.startswith("#"):
            for name, value in values.items():
                line = line.replace(f"@{name}@", str(value))
            words.append(line.strip())
    return words


def prepare(machine):
    machine.command("migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}])
    machine.command("migrate-set-parameters", **{
        "announce-rounds": 0, "max-bandwidth": 1 << 40, "downtime-limit": 100000})


def boot_snapshot(qemu, values, snapshot, log):
    machine = Machine(qemu, [*arguments(values), "-device", "quirkbench-channel,id=channel,addr=0x18"], log)
    with machine:
        prepare(machine)
        machine.wait_event("STOP")
        machine.command("migrate", uri=f"file:{snapshot}")
        status = machine.wait_migration()
        machine.command("quit")
        machine.wait_exit(20)
    if status != "completed":
        raise RuntimeError(f"the snapshot {status}: see {log}")


def restore(qemu, values, snapshot, sim, archive, log, drives=(), go=True):
    """@sim: properties of quirkbench-sim; @drives: arguments of device_add."""
    machine = Machine(qemu, [
        *arguments(values), "-device", f"quirkbench-sim,id=sim0,{sim}",
        "-device", f"quirkbench-channel,id=channel,addr=0x18,sim=sim0,archive={archive}",
        "-S", "-incoming", "defer"], log)
    with machine:
        prepare(machine)
        machine.command("migrate-incoming", uri=f"file:{snapshot}")
        status = machine.wait_migration()
        if status != "completed":
            raise RuntimeError(f"the restore {status}: see {log}")
        for drive in drives:
            machine.command("device_add", **drive)
        if go:
            machine.command("cont")
    return machine
