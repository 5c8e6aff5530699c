"""Publish the board's files: named by their content, and kept while a board may read them."""

import json
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from core.screens import live
from tests.support import factories, rounds


@pytest.mark.django_db
def test_what_is_published_is_named_by_its_content_and_kept_while_it_is_named(
    tmp_path: Path,
) -> None:
    factories.time_to(rounds.NOON - timedelta(minutes=1))
    assert live.publish(tmp_path)
    assert not live.publish(tmp_path)
    first = json.loads((tmp_path / live.PULSE).read_text())
    name = first["feeds"]["lototrot"]["document"]
    rounds.published()
    assert live.publish(tmp_path)
    second = json.loads((tmp_path / live.PULSE).read_text())
    assert second["feeds"]["lototrot"]["document"] != name
    assert (tmp_path / name).exists()  # for a board that has just read the first pulse
    assert second["at"] > first["at"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.django_db
def test_another_web_server_gives_the_files_out_and_no_others(
    tmp_path: Path, settings: Any
) -> None:
    settings.VAR_DIR = tmp_path
    live.publish(live.folder())
    (tmp_path / "secret.json").write_text("{}")
    client = Client()
    answer = client.get("/live/pulse.json")
    assert answer.headers["Cache-Control"] == "max-age=1"
    document = json.loads(answer.getvalue())["feeds"]["lototrot"]["document"]
    with closing(client.get(f"/live/{document}")) as answer:
        assert "immutable" in answer.headers["Cache-Control"]
    for name in ("..%2fsecret.json", "lototrot-00000000000000000000.json", "x"):
        assert client.get(f"/live/{name}").status_code == 404
