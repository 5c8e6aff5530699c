"""Compare the log with a receiver's copy: what was published and is lost after a restore."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from core.proofs import delivery, log
from core.proofs.copies import EntryNotSigned, compare, entries_of

pytestmark = pytest.mark.django_db


def publish(subject: str, value: int = 1) -> None:
    with transaction.atomic():
        log.publish(kind="test.fact", subject=subject, document={"value": value})


def deliver() -> None:
    for receiver in delivery.deliveries_due():
        delivery.deliver(receiver_id=receiver)


@pytest.fixture
def copy(tmp_path: Path, settings: Any) -> Path:
    """Return a receiver's folder that has two entries more than the database, which lost them."""
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish("before")
    deliver()
    with pytest.raises(RuntimeError, match="restored"), transaction.atomic():
        publish("race 5")
        publish("race 6")
        deliver()
        raise RuntimeError("restored")
    return tmp_path


def compared(copy: Path) -> str:
    output = StringIO()
    call_command("log_compare", str(copy), stdout=output)
    return output.getvalue()


def test_a_restored_database_is_told_what_it_has_lost(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Entry 1 is the key's: entries 3 and 4 are lost, until somebody publishes them again."""
    with pytest.raises(CommandError, match=r"copy goes to entry 4, the database to 2.* 2 entries"):
        call_command("log_compare", str(copy))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 2)[0] for line in lines] == ["3", "4"]
    assert lines[0].endswith("test.fact race 5")
    publish("race 6")
    publish("race 5", value=2)
    with pytest.raises(CommandError, match="1 later ones published again; 1 entries"):
        call_command("log_compare", str(copy))
    assert "race 5 (here otherwise, as entry 4)" in capsys.readouterr().out


def test_a_database_that_has_all_of_the_copy(tmp_path: Path, settings: Any) -> None:
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish("before")
    deliver()
    publish("not delivered yet")
    assert "every entry of the copy is in this database" in compared(tmp_path)


def test_a_copy_that_nobody_signed_is_refused(copy: Path) -> None:
    entries = list(entries_of(copy))
    entries[-1]["document"]["value"] = 2
    with pytest.raises(EntryNotSigned):
        compare(entries)


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"kind": "x"}', '{"sequence": 1.5}'])
def test_what_is_no_copy_ends_in_words(tmp_path: Path, content: str) -> None:
    """A wrong path must not say that nothing is lost."""
    file = tmp_path / "log.jsonl"
    file.write_text(content)
    with pytest.raises(CommandError, match="cannot be read"):
        compared(file)
    entry = {"sequence": 1, "kind": "x", "subject": "", "signature": "", "document": {"a": 0.5}}
    file.write_text(json.dumps(entry))
    with pytest.raises(CommandError, match="not_canonical"):
        compared(file)
