"""Files that a command cannot read, and arguments of nothing, end it in words."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from core.database.clock import ClockUnsound
from core.database.management.whole_file import whole_file
from core.tools.embedded.server import ROOT
from tests.support.processes.forking import forked

pytestmark = pytest.mark.django_db

MANIFEST = b'{"format":"trot-archive-1"%s}\n'


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("names_erase_again", b"[1]\n"),
        ("names_erase_again", b""),
        ("names_erase_again", b'{"names_of_staff":[]}\n'),
        ("names_erase_again", b"[" * 100_000 + b"\n"),
        ("log_compare", b"[" * 100_000 + b"\n"),
        ("log_compare", b'{"sequence":true,"kind":"a"}\n'),
        ("signer", b"the keys, typed in the place of the socket"),
        ("day_replay", None),
        ("day_replay", b"[1]\n"),
        ("day_replay", b"{\n"),
        ("day_replay", b"\xff\xfe\n"),
        ("journal_export", b"an export of before"),
    ],
)
def test_a_file_that_is_none_of_the_command(
    tmp_path: Path, command: str, content: bytes | None
) -> None:
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError):
        call_command(command, str(file))
    assert content is None or file.read_bytes() == content


def test_an_export_leaves_other_files_beside_it_alone(tmp_path: Path) -> None:
    """They may be a person's, or of another export to the same name that runs now."""
    beside = tmp_path / "file.part"
    beside.write_bytes(b"mine")
    call_command("journal_export", str(tmp_path / "file"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "file.part"]
    assert beside.read_bytes() == b"mine"


def test_an_export_to_a_disk_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as those that auditors bring."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    call_command("journal_export", str(tmp_path / "file"))
    assert (tmp_path / "file").exists()


def test_an_export_that_cannot_get_its_name_leaves_nothing_under_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty file there would look like an export, and keep the next one from its name."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("os.link", refused)
        patch.setattr(Path, "replace", refused)
        with pytest.raises(CommandError, match="nothing was exported"):
            call_command("journal_export", str(tmp_path / "file"))
    assert list(tmp_path.iterdir()) == []
    call_command("journal_export", str(tmp_path / "file"))


def test_an_export_that_is_killed_at_its_end_leaves_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name and its content come at once."""

    def killed(*_: object, **__: object) -> None:
        raise SystemExit

    monkeypatch.setattr(Path, "replace", killed)
    with contextlib.suppress(SystemExit):
        whole_file(tmp_path / "file", lambda file: file.write("whole"))
    assert [each.read_text() for each in tmp_path.iterdir()] in ([], ["whole"])


def test_an_export_into_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        call_command("journal_export", str(tmp_path / "none" / "file"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--once", "--folder", "/proc/none"],
        ["--once", "--folder", "/proc/self"],
        ["--listen", "127.0.0.1:70000"],
    ],
)
def test_boards_that_cannot_be_given_out(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("live", *arguments)


@pytest.mark.parametrize("command", ["period_attach", "period_rows"])
@pytest.mark.parametrize(
    "more",
    [
        b"",
        b',"number":1',
        b',"first_day":"2030-03-01","number":1,"tables":[1]',
        b',"first_day":"2030-03-01","number":1,"tables":[{"columns":[],"file":"a"}]',
        b',"first_day":"2030-03-01","number":1,"tables":[{"columns":[1],"file":"a","table":"a"}]',
    ],
)
def test_a_manifest_that_lacks_a_field(tmp_path: Path, command: str, more: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(
        MANIFEST % more
        if b"first" not in more
        else (b"{" + more[1:].replace(b'"number"', b'"format":"trot-archive-1","number"') + b"}\n")
    )
    with pytest.raises(CommandError, match=r"archive_unsound.*a field is missing"):
        call_command(command, str(tmp_path))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--table", "lototrot_tickets"],
        ["--step=-1"],
        ["--step=0"],
        ["--most=0"],
        ["--since=1000000"],
        ["--since=-1"],
    ],
)
def test_a_verification_of_nothing_does_not_say_that_all_is_well(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("journal_verify", *arguments)


COMMAND = """
import runpy
import sys

sys.argv = ["manage.py", {command!r}]
runpy.run_path("manage.py", run_name="__main__")
"""
AWAY = ["ledger_rebuild", "night", "journal_verify", "migrate", "showmigrations"]


@pytest.fixture(scope="module")
def without_database() -> dict[str, subprocess.CompletedProcess[str]]:
    """The ends of commands whose database is away, by command."""
    url = "postgresql://lototrot_app:secret@127.0.0.1:1/lototrot"
    environment = {"PROFILE": "development", "DATABASE_URL": url, "DATABASE_OWNER_URL": ""}
    programs = [COMMAND.format(command=command) for command in AWAY]
    return dict(zip(AWAY, forked(*programs, environment=environment), strict=True))


@pytest.mark.parametrize("command", AWAY)
def test_a_database_that_is_away_is_told_in_words(
    without_database: dict[str, subprocess.CompletedProcess[str]], command: str
) -> None:
    """An operator on the worst night reads a sentence, and no page of the program."""
    ended = without_database[command]
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr and "secret" not in ended.stderr
    assert "the database does not answer" in ended.stderr


def _bare(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command without any setting."""
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_variable_that_is_missing_is_named_in_one_line() -> None:
    ended = _bare("night")
    assert (ended.returncode, ended.stderr) == (
        1,
        "refused to start: production needs SECRET_KEY\n",
    )


@pytest.mark.parametrize("words", [("night", "--help"), ("help", "night"), ("help",)])
def test_help_needs_no_setting(words: tuple[str, ...]) -> None:
    ended = _bare(*words)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "night" in ended.stdout


def test_a_command_that_is_interrupted_says_so(tmp_path: Path) -> None:
    """It waits here for a pipe that nobody writes to, as another waits for the database."""
    os.mkfifo(tmp_path / "cases")
    # Begun in the background by a shell, this process and those it begins ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    command = subprocess.Popen(
        [sys.executable, "manage.py", "whatif", str(tmp_path / "cases")],
        cwd=ROOT,
        env=os.environ | {"PROFILE": "development"},
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    with command, (tmp_path / "cases").open("w"):  # once the command reads it
        command.send_signal(signal.SIGINT)
        _, printed = command.communicate(timeout=60)
    assert (command.returncode, printed) == (130, "interrupted; what was not finished is undone\n")


def test_a_refusal_of_the_rules_is_told_by_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as that of a signer that is away, at any command."""

    def refused() -> None:
        raise ClockUnsound

    monkeypatch.setattr("core.journal.management.commands.journal_seal.batch_seal", refused)
    with pytest.raises(CommandError, match=r"^clock_unsound: "):
        call_command("journal_seal")
