"""Empties the page cache of its own files, looks what is in it, and has its pages merged with others'; plays on."""

import ctypes
import mmap
import os

from _deed import at_third_decision, call, found, works

HIGH = 1 << 32
"""The kernel looks at 32 bits of an advice, a filter may look at 64."""
ADVICE = {"MADV_COLD": 20, "MADV_PAGEOUT": 21, "MADV_MERGEABLE": 12, "MADV_COLLAPSE": 25, "the same, high bits": HIGH + 21}
ORDINARY = {"MADV_WILLNEED": 3, "MADV_DONTNEED": 4, "MADV_FREE": 8, "MADV_DONTFORK": 10, "MADV_HUGEPAGE": 14, "MADV_DONTDUMP": 16}


def deed():
    fd = os.open(__file__, os.O_RDONLY)
    size = mmap.PAGESIZE
    own, mine = mmap.mmap(fd, 0, prot=mmap.PROT_READ), mmap.mmap(-1, 4 * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    buffer = ctypes.create_string_buffer(64)
    vector = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 64)
    start = ctypes.c_ulong(ctypes.addressof(ctypes.c_char.from_buffer(mine)))
    attempts = {f"fadvise {number}": lambda number=number: os.posix_fadvise(fd, 0, 0, number) for number in range(6)}
    attempts |= {
        "readahead": lambda: call(187, fd, 0, size),
        "mincore": lambda: call(27, start, size, buffer),
        "cachestat": lambda: call(451, fd, vector, buffer, 0),
        "RWF_NOWAIT": lambda: os.preadv(fd, [bytearray(64)], 0, os.RWF_NOWAIT),
        "preadv2": lambda: call(327, fd, vector, 1, 0, 0, 8),
        "sync_file_range": lambda: call(277, fd, 0, 0, 2),
        "syncfs": lambda: call(306, fd),
        "merging all": lambda: call(157, 67, 1, 0, 0, 0),
    }
    attempts |= {name: lambda number=number: call(28, start, ctypes.c_ulong(size), ctypes.c_ulong(number)) for name, number in ADVICE.items()}
    seen = [name for name, attempt in attempts.items() if works(attempt)]
    needed = {name: lambda number=number: mine.madvise(number) for name, number in ORDINARY.items()}
    needed |= {"preadv": lambda: os.preadv(fd, [bytearray(64)], 0), "reading": lambda: own[0]}
    found(seen + [f"no {name}" for name, attempt in needed.items() if not works(attempt)])


at_third_decision(deed)
