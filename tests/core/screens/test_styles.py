"""The stylesheets of the screens have no rule for a class that nothing uses."""

import re
from collections.abc import Iterator
from pathlib import Path

from core.tools.embedded.server import ROOT

APPS = [ROOT / name for name in ("core", "lototrot", "promotrot")]
# A class that a script puts together of a name and a number or a width: games-4, mm-58.
COMPOSED = re.compile(r"-\d+$")


def test_every_class_of_a_stylesheet_is_used() -> None:
    used = set(_used())
    unused = {
        f"{sheet.relative_to(ROOT)}: {name}"
        for sheet in _files("static", "css")
        for name in _classes(sheet.read_text("utf-8"))
        if not COMPOSED.search(name) and name not in used
    }
    assert unused == set()


def test_a_class_is_found_in_a_rule_and_not_in_its_values() -> None:
    css = """
        /* .of-a-comment */ .row.ends > :not(.small) { background: url("a.png"); margin: .5rem; }
        @media (max-width: 40.5rem) { .tile-2:has(+ .tile) { content: ".text"; } }
    """
    assert _classes(css) == {"row", "ends", "small", "tile-2", "tile"}


def _files(folder: str, kind: str) -> list[Path]:
    """Return the files of the screens. Those of the administration style a theme as well."""
    paths = [path for app in APPS for path in app.rglob(f"{folder}/**/*.{kind}")]
    return [path for path in paths if not {"admin_support", "desk.css"} & {*path.parts}]


def _classes(css: str) -> set[str]:
    rules = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    selectors = re.findall(r"([^{};]+)\{", rules)
    return {
        name
        for selector in selectors
        if not selector.strip().startswith("@")
        for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)
    }


def _used() -> Iterator[str]:
    """Yield each word of a text of a script, of a template's class, and of what Python draws."""
    for script in _files("static", "js"):
        for text in re.findall(r"\"[^\"\n]*\"|`[^`]*`", script.read_text("utf-8")):
            yield from re.findall(r"[\w-]+", text)
    pages = _files("templates", "html")
    pages += [path for app in APPS for path in app.rglob("*.py")]
    for page in pages:
        for text in re.findall(
            r"class=\\?\"([^\"]*)\"|body_class %}([^{]*)", page.read_text("utf-8")
        ):
            yield from re.findall(r"[\w-]+", " ".join(text))
