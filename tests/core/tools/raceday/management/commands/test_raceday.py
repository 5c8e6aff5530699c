"""Play the race day as a command: its recount, its welcome and its failure."""

import os
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from celery.beat import PersistentScheduler
from django.core.management import CommandError, call_command

from core.config.celery import app
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.stack import BEAT_SCHEDULE
from core.tools.raceday.management.commands import raceday
from core.tools.raceday.stage import Amiss
from tests.support.databases import Database


class _Organiser:
    """An organiser's API that opens one terminal, and gives its enrolment code."""

    def post(self, path: str, body: Any = None) -> Any:
        answers = {
            "premises": {"proposal": "p"},
            "proposals/p/confirmation": {},
            "terminals/T-VISITOR/enrolment-code": {"enrolment_code": "ENROL-ME"},
        }
        if path == "premises":
            assert body == {"terminals": [{"premises": "P-0001", "code": "T-VISITOR"}]}
        return answers[path]


class _Staff(dict[str, _Organiser]):
    passwords = {"admin": "first", "org1": "second"}


def _stack(**environment: str) -> Any:
    return SimpleNamespace(
        base_url="http://127.0.0.1:1",
        sales_url="http://127.0.0.1:2",
        environment=os.environ | environment,
    )


def test_the_ledger_is_recounted_from_the_tickets(
    own_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    raceday._recount(_stack(**own_database.environment))
    assert "Recounted from tickets and results" in capsys.readouterr().out
    elsewhere = {**own_database.environment, "DATABASE_URL": "postgresql://nobody@/nowhere"}
    with pytest.raises(Amiss, match="the ledger is not what the tickets say"):
        raceday._recount(_stack(**elsewhere))


def test_the_welcome_names_addresses_codes_and_passwords(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sellers = [SimpleNamespace(premises="P-0001")]
    stage = SimpleNamespace(
        sellers=sellers, staff=_Staff(org1=_Organiser(), org2=_Organiser()), pin="183054"
    )
    raceday._welcome(_stack(), cast(Any, stage), tmp_path)
    printed = capsys.readouterr().out
    words = ("http://127.0.0.1:2/terminal/", "ENROL-ME", "183054", "second", "organiser")
    assert [word for word in words if word not in printed] == []


def test_the_time_of_each_chapter_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    raceday._durations([("A race day", 61.25)], 0)
    printed = capsys.readouterr().out
    assert "A race day" in printed and "61.2 s" in printed and "all" in printed


def test_a_system_that_does_not_start_fails_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(**_: Any) -> Any:
        raise EmbeddedError("The disk is full.")

    for name in raceday.OF_OTHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setattr(raceday, "Stack", failing)
    with pytest.raises(
        CommandError, match=r"Something went wrong: The disk is full\. \(logs: .*raceday/log\)"
    ):
        call_command("raceday")


def test_a_beat_does_not_make_up_for_the_nights_of_the_last_race_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last beat sent a night some hours ago. That night was of a database that is gone."""
    schedule = tmp_path / "raceday" / BEAT_SCHEDULE
    schedule.parent.mkdir()

    def is_night_due() -> bool:
        beat = PersistentScheduler(app, schedule_filename=str(schedule), lazy=False)
        try:
            return bool(beat.schedule["night"].is_due().is_due)
        finally:
            beat.close()

    beat = PersistentScheduler(app, schedule_filename=str(schedule), lazy=False)
    beat.schedule["night"].last_run_at -= timedelta(hours=2)
    beat.close()
    assert is_night_due()
    due: list[bool] = []

    def starting(*, folder: Path, **_: Any) -> Any:
        assert folder / BEAT_SCHEDULE == schedule
        due.append(is_night_due())
        raise EmbeddedError("It is not started here.")

    for name in raceday.OF_OTHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setattr(raceday, "Stack", starting)
    with pytest.raises(CommandError, match="It is not started here"):
        call_command("raceday")
    assert due == [False]


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("DATABASE_URL", "postgresql://lototrot_app:secret@db.example/lototrot", "DATABASE_URL"),
        ("SIGNING_KEYS_FILE", "/etc/keys", "SIGNING_KEYS"),
        ("PROFILE", "production", "PROFILE=production"),
    ],
)
def test_it_touches_nothing_that_is_not_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    for other in raceday.OF_OTHERS:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(CommandError, match=f"unset {named}") as refusal:
        call_command("raceday")
    assert "secret" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
