"""Answer an auditor's cases by the rules: `manage.py whatif FILE`. It uses no database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.tools.whatif.answers import FileMalformed, answers, read_cases


class Command(ProgramCommand):
    """Answers the cases of a file, one JSON line each; a case refused does not stop the others."""

    help = "Answer a file of worked cases with the rules of the games, without a database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON file with a list of cases")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            cases = read_cases(file.read_bytes())
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
        except FileMalformed as error:
            raise CommandError(f"{file}: {error.detail}") from error
        for answer in answers(cases):
            self.stdout.write(json.dumps(answer))
