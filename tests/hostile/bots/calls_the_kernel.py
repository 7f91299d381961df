"""Makes system calls that no bot needs and that have broken kernels, and plays on."""

import platform

from _deed import at_third_decision, call, found


def deed():
    calls = {"bpf": (321, 0), "perf_event_open": (298, 0), "io_uring_setup": (425, 8), "keyctl": (250, 0), "add_key": (248, 0), "request_key": (249, 0)}
    calls |= {"userfaultfd": (323, 1), "kexec_load": (246, 0), "init_module": (175, 0), "delete_module": (176, 0), "reboot": (169, 0), "swapon": (167, 0)}
    calls |= {"open_by_handle_at": (304, 0), "name_to_handle_at": (303, 0), "syslog": (103, 3), "acct": (163, 0), "quotactl": (179, 0), "iopl": (172, 3)}
    calls |= {"settimeofday": (164, 0), "lookup_dcookie": (212, 0), "mq_open": (240, 0), "fanotify_init": (300, 0), "pidfd_getfd": (438, 1, 0)}
    calls |= {"add a 32-bit segment": (154, 1), "vhangup": (153,), "sethostname": (170, b"x", 1), "move_pages": (279, 0), "mbind": (237, 0)}
    found(name for name, arguments in calls.items() if platform.machine() == "x86_64" and opened(*arguments))


def opened(*call_and_arguments):
    """Whether the kernel looked at the call at all: EFAULT and EINVAL come after the door."""
    try:
        call(*call_and_arguments, 0, 0, 0, 0)
    except OSError as error:
        return error.args[1] not in ("EPERM", "ENOSYS", "EACCES")
    return True


at_third_decision(deed)
