"""Check that the version is stated once, and shown by `manage.py version` and every screen."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.admin import site
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory

from core.tools.embedded.server import ROOT

STATED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


@pytest.mark.parametrize("word", ["version", "--version"])
def test_the_command_prints_the_version(word: str) -> None:
    printed = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), word], capture_output=True, text=True, check=True
    )
    assert printed.stdout == f"{STATED}\n"


def test_the_settings_and_the_changelog_agree_with_it() -> None:
    assert settings.VERSION == STATED
    assert f"## [{STATED}]" in (Path(ROOT) / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/check", "/terminal/"])
def test_a_screen_shows_the_version_in_its_footer(address: str) -> None:
    page = Client().get(address).content.decode()
    foot = page[page.index("<footer") : page.index("</footer>")]
    assert f"Lototrot · Promotrot {STATED}" in foot


@pytest.mark.django_db
def test_the_screen_for_the_player_shows_no_version() -> None:
    assert STATED not in Client().get("/terminal/player/").content.decode()


@pytest.mark.django_db
def test_the_administration_is_given_the_version() -> None:
    request = RequestFactory().get("/admin/")
    request.user = AnonymousUser()
    assert site.each_context(request)["version"] == STATED
