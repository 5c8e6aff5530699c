"""Give the screens their typeface: the letters and figures that they use, cut from its package.

The package is one of the lock; nothing of it is in this project. The files are made once in a
folder and found as every other static file.
"""

import os
from collections.abc import Iterable, Iterator
from importlib.resources import files
from logging import WARNING, getLogger
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage

FIGURES: Final = " \u00a0%+,-.0123456789:−€"
LETTERS: Final = "".join(
    letter
    for letter in map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x100), *map(ord, "–—…’“”")))
    if letter not in FIGURES
)
FILES: Final = {"screens/figures.woff": FIGURES, "screens/letters.woff": LETTERS}
"""The content of each file. Every screen loads the figures; one with titles, letters as well."""

_PACKAGE: Final = "fontpkg_barlow_semi_condensed"
_SOURCE: Final = "files/BarlowSemiCondensed-Bold.ttf"


class Typeface(BaseFinder):
    """Find the files of the typeface; make each before it is found for the first time."""

    def __init__(self, app_names: object = None, *args: Any, **kwargs: Any) -> None:
        self._folder = Path(settings.VAR_DIR) / "typeface"

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        paths = [str(self._cut_font(path))] if path in FILES else []
        return paths[0] if paths and not find_all else paths

    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        for name in FILES:
            self._cut_font(name)
            yield name, FileSystemStorage(location=self._folder)

    def _cut_font(self, name: str) -> Path:
        path = self._folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}")  # several processes may start at once
            cut(Path(str(files(_PACKAGE) / _SOURCE)), part, FILES[name])
            part.rename(path)
        return path


def cut(source: Path, target: Path, letters: str) -> None:
    """Write some letters of a typeface as WOFF; figures are those of one width."""
    # Few processes make the file, and its library takes time to load.
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    getLogger("fontTools").setLevel(WARNING)
    font = TTFont(source)
    glyphs = font.getBestCmap()
    of_one_width = {ord(figure): f"{glyphs[ord(figure)]}.tf" for figure in "0123456789"}
    for table in font["cmap"].tables:
        table.cmap.update(of_one_width)
    options = Options(layout_features=["kern"], hinting=False, notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(text=letters)
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(target)
