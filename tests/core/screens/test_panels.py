"""Collect what apps contribute to the screens, in app order."""

from django.contrib.staticfiles import finders

from core.screens import panels, texts
from tests.support.contributing import contributed


def _panel(name: str) -> panels.Panel:
    return panels.Panel(name=name, title=name, module=f"{name}.js", styles=(), texts="base")


def test_an_app_contributes_only_the_parts_that_it_has() -> None:
    feed = panels.Feed("course", dict, dict)
    parts = (
        panels.Screens(terminal=_panel("one"), holder=_panel("paper")),
        panels.Screens(),
        panels.Screens(terminal=_panel("two"), board=_panel("course"), feed=feed),
    )
    with contributed("screens", "SCREENS", *parts):
        assert panels.parts() == parts
        assert [panel.name for panel in panels.panels()] == ["one", "two"]
        assert [panel.name for panel in panels.board_panels()] == ["course"]
        assert [panel.name for panel in panels.holder_panels()] == ["paper"]
        assert panels.feeds() == (feed,)
    feed.prepare()  # a feed without slow results has nothing to prepare


def test_the_panels_of_both_games_are_complete() -> None:
    everywhere = (*panels.panels(), *panels.board_panels(), *panels.holder_panels())
    assert {panel.name for panel in panels.panels()} == {"lototrot", "promotrot"}
    for panel in everywhere:
        assert panel.texts in texts.names(), panel
        for path in (panel.module, *panel.styles, *panel.preload):
            assert finders.find(path), path


def test_each_section_of_the_board_has_a_feed_of_its_name() -> None:
    feeds = {feed.name for feed in panels.feeds()}
    assert {panel.name for panel in panels.board_panels()} <= feeds
