"""`structkin studio [FILE]`: draw, edit and drive a mechanism in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.errors import InputError, Problem


def studio(
    file: Annotated[
        Path | None,
        typer.Argument(help="Mechanism file to open, or to create on Save; default: an example."),
    ] = None,
    port: Annotated[
        int, typer.Option(help="Port on this machine; 0: 47808 if it is free, or else any.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    shared: Annotated[str, typer.Option(help="Open a mechanism shared as '#m=...'.")] = "",
) -> None:
    """Draw, edit and drive a mechanism in the browser; only this machine can reach it."""
    try:
        from structkin.studio.run import new_session, run
    except ModuleNotFoundError as error:
        hint = 'python -m pip install "structkin[studio]"'
        raise InputError([Problem("studio", f"needs {error.name}, which is not installed", hint)], "command") from None
    if file is not None and shared:
        raise InputError([Problem("--shared", "cannot be combined with a file", "leave one of them out")], "command")
    run(new_session(file, shared), port=port, browser=browser, say=typer.echo)
