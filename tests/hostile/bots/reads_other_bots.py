"""Looks for other bots' code, the league's data and folders of the host, and plays on."""

import os

from _deed import at_third_decision, found, works

PLACES = ("/home", "/root", "/var/lib/docker", "/var/lib/ninefold", "/srv", "/mnt", "/media", "/host", "/run/secrets")


def deed():
    seen = [place for place in PLACES if os.path.isdir(place) and works(lambda place=place: os.listdir(place)[0])]
    for top, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(top, name) not in ("/proc", "/usr", "/etc/python3.11", "/opt/ninefold", "/bot")]
        seen += [os.path.join(top, name) for name in names if name.endswith((".db", ".sock", ".zst", ".py")) and name != "seat.sock"]
    found(seen)


at_third_decision(deed)
