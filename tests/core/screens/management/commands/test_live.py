"""Publish the boards' data by `manage.py live`."""

import argparse
import asyncio
import io
import json
import logging
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from core.screens import live
from core.screens.management.commands.live import Command, _publish_until_told, _try, address


def test_an_address_is_a_host_and_a_port() -> None:
    assert address("127.0.0.1:8001") == ("127.0.0.1", 8001)
    assert address("[::1]:8001") == ("::1", 8001)


@pytest.mark.parametrize("text", ["", "8001", ":8001", "127.0.0.1", "127.0.0.1:", "host:http"])
def test_another_text_is_no_address(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="HOST:PORT"):
        address(text)


def test_the_command_refuses_it_too() -> None:
    with pytest.raises(CommandError, match="HOST:PORT"):
        call_command(Command(), "--listen", "8001")


def test_an_address_of_another_machine_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="the address cannot be served"):
        asyncio.run(_publish_until_told(tmp_path, ("192.0.2.1", 8001)))


@pytest.mark.django_db
def test_it_publishes_once_if_asked(tmp_path: Path) -> None:
    folder = tmp_path / "live"
    call_command("live", "--once", "--folder", str(folder))
    pulse = json.loads((folder / live.PULSE).read_bytes())
    assert set(pulse["feeds"]) >= {"lototrot", "promotrot"}
    assert all((folder / feed["document"]).exists() for feed in pulse["feeds"].values())


@pytest.mark.django_db
@pytest.mark.parametrize("error", [OperationalError("gone"), ZeroDivisionError("a fault")])
def test_a_publication_that_fails_is_logged_and_the_next_one_is_tried(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A logger of this test: other tests configure the process's own.
    logger, lines = logging.Logger("live"), io.StringIO()
    logger.addHandler(logging.StreamHandler(lines))
    monkeypatch.setattr("core.screens.management.commands.live.logger", logger)
    monkeypatch.setattr("core.screens.management.commands.live.connection.close", lambda: None)

    def failing() -> None:
        raise error

    _try(failing)
    assert "nothing is published" in lines.getvalue()
    assert ("Traceback" in lines.getvalue()) is isinstance(error, ZeroDivisionError)
