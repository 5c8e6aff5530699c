"""The base of all screens: contrast, content policy, language, texts of scripts."""

import re
from itertools import chain
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import override

from core.screens import texts
from core.tools.catalogues.catalogues import extract

PACKAGES = ("core", "lototrot", "promotrot")
TEMPLATES = sorted(
    path
    for package in PACKAGES
    for path in (settings.BASE_DIR / package).rglob("templates/**/*.html")
    if not {"admin", "admin_support", "unfold"} & set(path.parts)
)
SCRIPTS = sorted(
    path
    for package in PACKAGES
    for path in (settings.BASE_DIR / package).rglob("static/**/*.js")
    if "admin_support" not in path.parts
)
STYLES = sorted(
    path
    for package in PACKAGES
    for path in (settings.BASE_DIR / package).rglob("static/**/*.css")
    if "admin_support" not in path.parts
)
BASE = settings.BASE_DIR / "core/screens/static/screens/base.css"
_TOKEN = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
_CLOTH = re.compile(
    r"""\[data-cloth="(\d+)"\] { --cloth: (#[0-9a-f]{6}); --on-cloth: (#[0-9a-f]{6}); }"""
)
_SAID = re.compile(r"""\b(?:t|has)\(\s*"([^"]+)\"""")
_INLINE = re.compile(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)", re.IGNORECASE)
_FOREIGN = re.compile(r"""https?://(?!www\.w3\.org/)|url\(\s*['"]?//|@import""")


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """By WCAG 2.2, from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _pairs() -> list[tuple[str, str, float]]:
    grounds = ("ground", "surface", "raised", "sunk")
    words = ("ink", "soft", "turf", "good", "warn", "bad", "info", "sand")
    pairs = [(word, ground, 4.5) for word in words for ground in grounds]
    pairs += [(f"on-{name}", name, 4.5) for name in ("turf", "turf-deep", "bad")]
    pairs += [(word, "turf-deep", 4.5) for word in ("gold", "alert")]
    pairs += [(name, f"{name}-ground", 4.5) for name in ("turf", "good", "warn", "bad", "info")]
    pairs += [("ink", f"{name}-ground", 4.5) for name in ("good", "warn", "bad", "info")]
    return pairs + [(edge, ground, 3) for edge in ("edge", "focus") for ground in grounds]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_can_be_read(theme: str) -> None:
    tokens = {name: (light, dark) for name, light, dark in _TOKEN.findall(BASE.read_text())}
    which = ["light", "dark"].index(theme)
    poor = [
        (word, ground)
        for word, ground, least in _pairs()
        if contrast(tokens[word][which], tokens[ground][which]) < least
    ]
    assert poor == []


def test_the_numbers_on_saddle_cloths_can_be_read() -> None:
    cloths = _CLOTH.findall(BASE.with_name("cloths.css").read_text())
    assert [int(number) for number, _, _ in cloths] == list(range(1, 19))
    assert len({ground for _, ground, _ in cloths}) == 18
    assert [n for n, ground, word in cloths if contrast(ground, word) < 4.5] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_nothing_inline(path: Path) -> None:
    assert _INLINE.findall(path.read_text()) == []


@pytest.mark.parametrize("path", [*TEMPLATES, *SCRIPTS, *STYLES], ids=lambda path: path.name)
def test_nothing_comes_from_another_host(path: Path) -> None:
    assert _FOREIGN.findall(path.read_text()) == []


def test_scripts_say_what_is_defined_and_all_of_it() -> None:
    """`t("key")` needs its key; dynamic ones are written out in a comment: `// t("a") t("b")`."""
    used = set(chain.from_iterable(_SAID.findall(path.read_text()) for path in SCRIPTS))
    defined = set(chain.from_iterable(texts.keys(name) for name in texts.names()))
    assert used - defined == set()
    assert defined - used == set()


def test_the_extractor_sees_every_text_of_the_scripts() -> None:
    seen = {
        message.id if isinstance(message.id, str) else message.id[0]
        for package in PACKAGES
        for message in extract(settings.BASE_DIR / package)
    }
    with override(None):  # as the code has them
        wanted = {
            text.one if isinstance(text, texts.Plural) else str(text)
            for name in texts.names()
            for text in texts.catalogues()[name].values()
        }
    assert wanted - seen == set()
