"""Looks for a way out: interfaces, addresses of every kind, raw sockets, and plays on."""

import socket

from _deed import at_third_decision, found, works


def deed():
    with open("/proc/net/dev") as file:
        names = {line.split(":")[0].strip() for line in file.readlines()[2:]}
    seen = sorted(names - {"lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0"})
    for host in ("198.51.100.1", "1.1.1.1", "10.0.0.1", "172.17.0.1", "192.168.0.1", "169.254.169.254", "2001:db8::1", "fe80::1"):
        for port in (22, 53, 80, 443, 2375, 5432, 6379, 7009, 8501):
            if works(lambda host=host, port=port: socket.create_connection((host, port), 0.5)):
                seen.append(f"{host}:{port}")
    for port in (22, 53, 80, 2375, 5432, 6379, 7009, 8501):  # loopback is its own: nobody of the host listens there
        if works(lambda port=port: socket.create_connection(("127.0.0.1", port), 0.5)):
            seen.append(f"127.0.0.1:{port}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        if works(lambda: out.sendto(b"x", ("198.51.100.1", 53))) or works(lambda: out.sendto(b"x", ("255.255.255.255", 9))):
            seen.append("datagrams")
    for family, kind, number in ((socket.AF_INET, socket.SOCK_RAW, 1), (17, socket.SOCK_RAW, 3), (16, socket.SOCK_RAW, 0), (40, socket.SOCK_STREAM, 0), (38, socket.SOCK_SEQPACKET, 0), (31, socket.SOCK_RAW, 0), (29, socket.SOCK_RAW, 1)):
        if works(lambda family=family, kind=kind, number=number: socket.socket(family, kind, number)):
            seen.append(f"family {family}")
    found(seen)


at_third_decision(deed)
