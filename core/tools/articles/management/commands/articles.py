"""Print each article with its reading, code and tests; with `--check`, fail on a fault."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.tools.articles.tracing import faults, trace


class Command(ProgramCommand):
    help = "Print each article of the regulation with its reading, its code and its tests."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="print what is missing, and fail if anything is"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if options["check"]:
            sentences = faults(settings.BASE_DIR)
            if sentences:
                raise CommandError("\n".join(sentences))
            return
        for traced in trace(settings.BASE_DIR):
            article = traced.article
            readings = f" [{article.readings}]" if article.readings else ""
            self.stdout.write(f"{article.number}{readings} {article.summary} ({article.state})")
            for path in article.paths or ["no code yet"]:
                self.stdout.write(f"    {path}")
            for test in traced.tests:
                self.stdout.write(f"        {test}")
