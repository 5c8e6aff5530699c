"""Import a programme, or print all its errors: `manage.py import_programme FILE --as USERNAME`."""

import getpass
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.staff.devices import CONSOLE
from core.staff.models import StaffSession
from core.staff.services import actor_of, session_end, session_start, sign_on_check
from lototrot.engine.programme import MAX_BYTES, ProgrammeInvalid
from lototrot.services.programme.official import READERS, programme_import


class Command(ProgramCommand):
    help = (
        "Import an official programme as an organiser, or print all of its errors. Read the"
        " password and the one-time code, a line each, from the terminal or standard input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the programme (docs/programme-format.md)")
        parser.add_argument(
            "--format", choices=sorted(READERS), help="by default the ending of the file's name"
        )
        parser.add_argument(
            "--as",
            dest="username",
            required=True,
            metavar="USERNAME",
            help="the organiser who imports it",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        file: Path = options["file"]
        form = options["format"] or file.suffix.removeprefix(".").lower()
        if form not in READERS:
            raise CommandError(f"{file}: say --format {' or '.join(sorted(READERS))}")
        try:
            with file.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        try:
            self._import(options["username"], data, form)
        except ProgrammeInvalid as refusal:
            for fault in refusal.data["errors"]:
                place = fault["place"] or "file"
                self.stderr.write(f"{place}: {fault['code']}: {fault['message']}")
            raise CommandError(f"{file}: nothing was imported") from refusal

    def _import(self, username: str, data: bytes, form: Any) -> None:
        typed = sys.stdin.isatty()
        lines = [
            getpass.getpass(prompt) if typed else sys.stdin.readline().rstrip("\n")
            for prompt in ("Password: ", "One-time code: ")
        ]
        user, verified = sign_on_check(
            username=username, password=lines[0], code=lines[1], origin=CONSOLE
        )
        session, _token = session_start(
            user=user, channel=StaffSession.Channel.COMMAND, verified=verified
        )
        actor = actor_of(session)
        try:
            meeting = programme_import(by=actor, data=data, format=form)
        finally:
            session_end(by=actor)
        self.stdout.write(
            f"{meeting.reference}: {meeting.day} {meeting.name}, {meeting.races.count()} races"
        )
