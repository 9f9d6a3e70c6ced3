"""Letters that matplotlib's default font lacks: they come from another installed font, or one warning names them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from structkin.show.backend import load_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

P = ParamSpec("P")

#: A font that has a box for every letter, which is no better than a missing letter.
_LAST_RESORT = "Last Resort"


def legible(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make a drawing function use fonts that have all the letters of its names.

    If the default font lacks letters of the figure, it is drawn again with another font, because widths differ. On the
    caller's axes nothing is drawn twice: there the texts change their font in place.
    """

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        load_matplotlib()
        import matplotlib as mpl

        with quietly():
            figure = draw(*args, **kwargs)
            if letters := lacking(figure):
                more = families_with(frozenset(letters))
                if kwargs.get("ax") is None:
                    with mpl.rc_context({"font.family": [*mpl.rcParams["font.family"], *more]}):
                        figure = draw(*args, **kwargs)
                else:
                    for text in _texts(figure):
                        text.set_fontfamily([*text.get_fontfamily(), *more])
                if lacking(figure):
                    _warn()  # in no family, or in one that has them upright but not in italics
            return figure

    return drawn


@contextmanager
def quietly() -> Iterator[None]:
    """Silence matplotlib's warnings about each letter drawn as a box and each weight that a font lacks.

    `legible` warns once about missing letters.
    """
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from")
        log.setLevel(logging.ERROR)
        try:
            yield
        finally:
            log.setLevel(level)


def lacking(figure: Figure) -> set[str]:
    """Return the letters in a figure that none of their text's fonts has."""
    return {
        letter
        for text in _texts(figure)
        if not text.get_text().isascii()
        for letter in text.get_text()
        if letter.isprintable() and not letter.isspace() and not any(ord(letter) in font for font in _fonts(text))
    }


@cache
def families_with(letters: frozenset[str]) -> tuple[str, ...]:
    """Return installed families that together have the letters that any has, as few as a greedy choice finds."""
    from matplotlib.font_manager import fontManager

    upright = [font for font in fontManager.ttflist if font.style == "normal"]
    upright.sort(key=lambda font: fontManager.score_weight("normal", font.weight), reverse=True)
    fonts = {
        font.name: _letters_of(font.fname) for font in upright
    }  # of each family the last: nearest to normal weight
    wanted, found = {ord(letter) for letter in letters} & frozenset().union(*fonts.values()), []
    while wanted:
        found.append(max(fonts, key=lambda name: len(wanted & fonts[name])))
        wanted -= fonts[found[-1]]
    return tuple(found)


@cache
def _warn() -> None:
    """Warn once that letters are drawn as boxes."""
    logging.getLogger("structkin.show").warning(
        "some letters are in no installed font and are drawn as boxes: install a font such as Noto Sans"
    )


def _texts(figure: Figure) -> list[Text]:
    from matplotlib.text import Text

    texts: list[Any] = figure.findobj(Text)
    return texts


def _fonts(text: Text) -> Iterator[frozenset[int]]:
    """Yield the letters that each font of a text has."""
    from matplotlib.font_manager import findfont

    for family in text.get_fontfamily():
        own = text.get_fontproperties().copy()
        own.set_family(family)
        yield _letters_of(findfont(own))


@cache
def _letters_of(path: str) -> frozenset[int]:
    """Return the code points of a font; none if it cannot be read or has only boxes."""
    from matplotlib.font_manager import get_font

    try:
        font = get_font(path)
        return frozenset() if font.family_name.startswith(_LAST_RESORT) else frozenset(font.get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()
