"""Who is at the other end of a connection: Linux lists the user of each socket, and nobody can choose it.

The token alone does not keep other users of the machine out: they see the command that starts the browser, and with it
the address.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

#: The sockets of this machine: number, own address, other address, state, ..., user; see proc_pid_net(5).
TABLE = Path("/proc/net/tcp")
ESTABLISHED = "01"
#: The system lists its sockets piece by piece: while others open and close, it may pass over one or repeat it.
READINGS = 10


def is_own(client: tuple[str, int] | None, port: int) -> bool:
    """Return whether a connection to a port of this machine comes from this user or root; True if nobody can say.

    A socket that its program has closed belongs to nobody: what was sent before is not read.
    """
    if sys.platform == "win32":
        return True
    listed = False
    try:
        here, there = _address("127.0.0.1", port), _address(*(client or ("", 0)))
        for _ in range(READINGS):
            lines = TABLE.read_text(encoding="ascii").splitlines()
            rows = [line.split() for line in lines if here in line and there in line]
            users = {int(row[7]) for row in rows if row[1:4] == [there, here, ESTABLISHED]}
            if users:
                return users <= {0, os.getuid()}
            listed |= any(row[1:3] == [here, there] for row in rows)
    except OSError:
        return True
    return not listed


def _address(host: str, port: int) -> str:
    """Return an address as it is written in the table; raise `OSError` if it is not one.

    >>> _address("127.0.0.1", 8000) in ("0100007F:1F40", "7F000001:1F40")
    True
    """
    number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    return f"{number:08X}:{port:04X}"
