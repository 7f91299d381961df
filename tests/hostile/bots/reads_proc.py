"""Looks through /proc for what is the machine's, not the bot's, and plays on."""

import glob

from _deed import at_third_decision, found, works


def deed():
    secret = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/kmsg", "/proc/kpagecount"]
    secret += ["/proc/latency_stats", "/proc/acpi/x", "/proc/scsi/scsi", "/proc/asound/cards", "/proc/slabinfo", "/proc/vmallocinfo"]
    secret += [name for pattern in ("/proc/1/task/*/mem", "/proc/[2-9]*/environ", "/proc/[2-9]*/root") for name in glob.glob(pattern)]
    seen = [name for name in secret if works(lambda name=name: open(name, "rb").read(1)[0])]
    with open("/proc/kallsyms") as file:
        seen += [line for line in file if not line.startswith("0000000000000000")][:1]
    knobs = ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sys/kernel/hostname", "/proc/irq/0/smp_affinity"]
    seen += [name for name in knobs if works(lambda name=name: open(name, "w"))]
    found(seen)


at_third_decision(deed)
