"""Looks for the Docker socket and its neighbours, in files and in abstract names, and plays on."""

import os
import socket

from _deed import at_third_decision, found, works


def deed():
    places = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/.dockerenv/x"]
    seen = [place for place in places if os.path.exists(place)]
    with open("/proc/net/unix") as file:
        seen += [line.split()[-1] for line in file.readlines()[1:] if len(line.split()) > 7 and not line.split()[-1].endswith("seat.sock")]
    for name in ("\0/containerd-shim/moby", "\0/run/docker.sock", "\0docker"):
        with socket.socket(socket.AF_UNIX) as dialled:
            if works(lambda name=name, dialled=dialled: dialled.connect(name)):
                seen.append(name)
    found(seen)


at_third_decision(deed)
