"""Serve the pages of the terminal and of the player's screen."""

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from core.screens import texts
from core.screens.panels import panels, player_panels
from core.screens.terminal import PRIZE_TEXTS, TERMINAL_TEXTS

pytestmark = pytest.mark.django_db


def embedded(page: str, name: str) -> Any:
    """Return the JSON that the page holds for its scripts under an id."""
    match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page)
    assert match is not None
    return json.loads(match[1])


def test_the_terminal_names_the_module_of_each_game(client: Client) -> None:
    answer = client.get("/terminal/", {"lang": "en"})
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-cache"
    page = answer.content.decode()
    tabs = embedded(page, "config")["panels"]
    assert [tab["name"] for tab in tabs] == [panel.name for panel in panels()]
    for tab in tabs:
        assert f'<link rel="modulepreload" href="{tab["module"]}">' in page


def test_the_terminal_has_the_texts_of_its_scripts(client: Client) -> None:
    answer = client.get("/terminal/", {"lang": "en"})
    messages = answer.context["messages_for_scripts"]
    for catalogue in (TERMINAL_TEXTS, PRIZE_TEXTS, *(texts.keys(each.texts) for each in panels())):
        assert set(catalogue) <= set(messages)
    assert messages["sign_off"] == "Sign off"


def test_the_players_screen_has_its_own_texts_and_no_bar(client: Client) -> None:
    answer = client.get("/terminal/player/", {"lang": "en"})
    assert answer.status_code == 200
    messages = answer.context["messages_for_scripts"]
    for panel in player_panels():
        assert texts.keys(panel.texts) <= set(messages)
    for panel in panels():
        assert texts.keys(panel.texts) <= set(messages), "the till's words in its own language"
    page = answer.content.decode()
    assert '<div id="shown" role="status"></div>' in page
    assert [part["name"] for part in embedded(page, "config")["sections"]] == ["lototrot"]
    # The operator's own screen keeps its language.
    assert settings.LANGUAGE_COOKIE_NAME not in answer.cookies
