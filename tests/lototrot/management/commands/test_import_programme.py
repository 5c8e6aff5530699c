"""Import a programme from the command line, in the name of a person who signs on (14.III.5.2)."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.core.management.base import CommandError

from core.staff.models import StaffSession
from core.staff.powers import Role
from lototrot.models.programme import Meeting
from lototrot.sample.facts import SON_PARDO, programme_file
from tests.support import factories

pytestmark = pytest.mark.django_db

PASSWORD = "drei-hengste-im-regen"


@pytest.fixture
def on_the_console(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    marta = factories.account("marta", "Marta", Role.ORGANISER, stored=make_password(PASSWORD))
    secret = factories.second_factor(marta)
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n{factories.one_time_code(secret)}\n"))
    return tmp_path


def test_the_command_imports_in_the_name_of_a_person(
    on_the_console: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = on_the_console / "programme.csv"
    file.write_bytes(programme_file(SON_PARDO, "csv"))
    call_command("import_programme", str(file), "--as", "marta")
    meeting = Meeting.objects.get()
    assert meeting.imported_by.username == "marta"
    session = StaffSession.objects.get(pk=meeting.imported_in_id)
    assert session.channel == "command"
    assert session.ended_at is not None
    assert meeting.reference in capsys.readouterr().out


def test_the_command_prints_every_error_with_its_place(
    on_the_console: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = on_the_console / "programme.txt"
    document = json.loads(programme_file(SON_PARDO))
    document["meeting"] |= {"day": "2027-02-30", "name": ""}
    file.write_text(json.dumps(document))
    with pytest.raises(CommandError, match="nothing was imported") as refused:
        call_command("import_programme", str(file), "--format", "json", "--as", "marta")
    assert refused.value.returncode == 1
    printed = capsys.readouterr().err
    assert "/meeting/day: bad_date: " in printed
    assert "/meeting/name: missing_field: " in printed
    assert not Meeting.objects.exists()


def test_the_command_refuses_what_it_cannot_read_or_whom_it_does_not_know(
    on_the_console: Path,
) -> None:
    absent = on_the_console / "absent.json"
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_programme", str(absent), "--as", "marta")
    with pytest.raises(CommandError, match="--format"):
        call_command("import_programme", str(on_the_console / "x.pdf"), "--as", "marta")
    absent.write_bytes(programme_file(SON_PARDO))
    with pytest.raises(CommandError, match="sign_on_refused"):
        call_command("import_programme", str(absent), "--as", "nobody")
    assert not Meeting.objects.exists()
