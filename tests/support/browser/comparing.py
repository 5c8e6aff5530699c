"""Compare the pictures of `make screenshots` with those of the run before, on one page.

`python -m tests.support.browser.comparing` keeps the pictures of the run before beside the new
ones. Afterwards `... comparing compare` writes var/screenshots/index.html: each picture as it was,
as it is, and with a red frame around what differs, those that changed most first.
"""

import shutil
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from core.tools.embedded.server import ROOT

NEW, OLD = ROOT / "var" / "screenshots", ROOT / "var" / "screenshots-before"
_FAINT = 12
"""Smaller differences of a colour, of 255, are of the rendering of letters."""

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures compared</title>
<style>
body {{ font: 15px/1.4 system-ui; margin: 2rem; }}
section {{ border-top: 1px solid #999; padding: 1rem 0; }}
figure {{ display: inline-block; margin: 0 1rem 0 0; width: 31%; vertical-align: top; }}
img {{ width: 100%; border: 1px solid #ccc; }}
</style><h1>Pictures compared</h1><p>{summary}</p>{sections}</html>
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """A picture by its name. `changed` is the share of its points that differ, from 0 to 1.

    It is 1 for a picture that is new, that has gone, or that has another size.
    """

    name: str
    changed: float
    state: str


def put_aside(new: Path, old: Path) -> None:
    """Make the pictures of the last run those of the run before; do nothing if there are none."""
    if any(new.glob("*.png")):
        shutil.rmtree(old, ignore_errors=True)
        new.rename(old)


def compare(new: Path, old: Path) -> list[Compared]:
    """Compare the pictures of two folders by name, and mark the differences in `new`.

    Returns those that changed most first. A picture NAME.png that differs gets a NAME.marked.jpg.
    """
    names = {path.name for folder in (new, old) for path in folder.glob("*.png")}
    compared = [_compare_one(name, new, old) for name in names]
    return sorted(compared, key=lambda each: (-each.changed, each.name))


def _compare_one(name: str, new: Path, old: Path) -> Compared:
    if not (old / name).exists():
        return Compared(name, 1.0, "new")
    if not (new / name).exists():
        return Compared(name, 1.0, "gone")
    with Image.open(new / name) as is_now, Image.open(old / name) as was:
        after, before = is_now.convert("RGB"), was.convert("RGB")
    if after.size != before.size:
        return Compared(name, 1.0, f"{before.width}x{before.height}, now {after.size}")
    difference = ImageChops.difference(after, before).convert("L")
    mask = difference.point([0] * _FAINT + [255] * (256 - _FAINT))
    box = mask.getbbox()
    if box is None:
        return Compared(name, 0.0, "as before")
    ImageDraw.Draw(after).rectangle(box, outline="red", width=3)
    after.save((new / name).with_suffix(".marked.jpg"))
    return Compared(name, mask.histogram()[255] / (mask.width * mask.height), "changed")


def page(compared: list[Compared]) -> str:
    """Return the page that shows them, as HTML. Its addresses are relative to the new folder."""
    changed = [each for each in compared if each.changed]
    summary = f"{len(changed)} of {len(compared)} pictures differ from the run before."
    return _PAGE.format(summary=summary, sections="".join(map(_section, changed)))


def _section(each: Compared) -> str:
    stem = each.name.removesuffix(".png")
    pictures = {"before": f"../{OLD.name}/{each.name}", "now": each.name}
    if each.state == "changed":
        pictures["what differs"] = f"{stem}.marked.jpg"
    if each.state in ("new", "gone"):
        del pictures["before" if each.state == "new" else "now"]
    figures = "".join(
        f'<figure><a href="{escape(source)}"><img src="{escape(source)}" alt="" loading="lazy"></a>'
        f"<figcaption>{caption}</figcaption></figure>"
        for caption, source in pictures.items()
    )
    title = f"{escape(stem)}: {escape(each.state)}, {each.changed:.2%}"
    return f"<section><h2>{title}</h2>{figures}</section>"


def main(words: list[str]) -> None:
    """Put the last pictures aside; with the word `compare`, compare the new ones with them."""
    if words != ["compare"]:
        put_aside(NEW, OLD)
        return
    compared = compare(NEW, OLD)
    (NEW / "index.html").write_text(page(compared), "utf-8")
    changed = sum(each.changed > 0 for each in compared)
    print(f"{changed} of {len(compared)} pictures differ: {NEW / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
