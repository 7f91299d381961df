"""Fills /dev/shm and asks for System V shared memory without end, and plays on."""

import ctypes

from _deed import at_third_decision, libc, reached


def deed():
    written = 0
    try:
        with open("/dev/shm/flood", "wb", buffering=0) as file:
            while written < 4096:
                file.write(bytes(1 << 20))
                written += 1
    except OSError:
        pass
    reached(written)
    libc.shmget.restype = ctypes.c_int
    libc.shmat.restype = ctypes.c_void_p
    for _ in range(5000):
        if libc.shmget(0, 4096, 0o1600) < 0:
            break


at_third_decision(deed)
