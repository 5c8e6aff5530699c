"""Give the screens Promotrot's panels: their modules exist and their texts are complete."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

from promotrot.screens import SCREENS


def test_every_module_beside_the_panel_is_preloaded() -> None:
    assert SCREENS.terminal is not None
    home = finders.find(SCREENS.terminal.module)
    assert isinstance(home, str)
    modules = {path.stem for path in Path(home).parent.glob("*.js")} - {"panel"}
    assert {Path(name).stem for name in SCREENS.terminal.preload} == modules


def test_texts_that_the_terminal_shows_are_in_its_catalogue() -> None:
    assert SCREENS.terminal is not None
    catalogue = SCREENS.texts[SCREENS.terminal.texts]
    home = finders.find(SCREENS.terminal.module)
    assert isinstance(home, str)
    source = "".join(path.read_text() for path in Path(home).parent.glob("*.js"))
    used = set(re.findall(r"\bt\(\"(\w+)\"", source))
    unused = {key for key in catalogue if f'"{key}"' not in source}
    assert used & set(catalogue)
    assert unused <= {"plays", "plays_ended", "awarded", "emission", "issued_on"}
