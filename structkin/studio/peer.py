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


def is_own(client: tuple[str, int] | None, port: int) -> bool:
    """Return whether a connection to a port of this machine comes from this user or root; True if nobody can say.

    A socket that its program has closed belongs to nobody: what was sent before is not read.
    """
    try:
        here, there = _address("127.0.0.1", port), _address(*(client or ("", 0)))
        rows = [line.split() for line in TABLE.read_text(encoding="ascii").splitlines()]
    except OSError:
        return True
    if sys.platform == "win32" or not any(row[1:3] == [here, there] for row in rows):
        return True
    users = [int(row[7]) for row in rows if row[1:4] == [there, here, ESTABLISHED]]
    return len(users) == 1 and users[0] in (0, os.getuid())


def _address(host: str, port: int) -> str:
    """Return an address as it is written in the table; raise `OSError` if it is not one.

    >>> _address("127.0.0.1", 8000) in ("0100007F:1F40", "7F000001:1F40")
    True
    """
    number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    return f"{number:08X}:{port:04X}"
