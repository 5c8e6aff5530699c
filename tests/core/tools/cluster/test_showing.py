"""Tests of what is shown of a cluster, without starting one."""

from pathlib import Path

import pytest
from django.core.management.base import CommandError

from core.tools.cluster.network import Loopback
from core.tools.cluster.showing import Showing
from core.tools.raceday.management.commands.raceday import OF_OTHERS


def test_the_table_names_every_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (each for word in OF_OTHERS for each in (word, f"{word}_FILE")):
        monkeypatch.delenv(name, raising=False)
    showing = Showing(tmp_path, Loopback())
    showing.where()
    output = capsys.readouterr().out
    for name in ("db1", "db2", "db3", "web1", "web2", "broker", "proxy", "receiver"):
        assert name in output
    assert "0 entries" in output


def test_databases_of_others_are_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody@elses/database")
    with pytest.raises(CommandError, match="touches no others: unset"):
        Showing(tmp_path, Loopback())
