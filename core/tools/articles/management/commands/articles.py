"""`manage.py articles`: article, reading, code, tests; `--check` fails on what is missing."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.tools.articles.tracing import faults, trace


class Command(BaseCommand):
    help = "Print what stands behind each article of the regulation."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="fail on anything missing")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["check"]:
            found = faults(settings.BASE_DIR)
            if found:
                raise CommandError("\n".join(found))
            return
        for each in trace(settings.BASE_DIR):
            article = each.article
            readings = f" [{article.readings}]" if article.readings else ""
            self.stdout.write(f"{article.number}{readings} {article.summary} ({article.state})")
            self.stdout.write(f"    {article.code or 'no code yet'}")
            for test in each.tests:
                self.stdout.write(f"        {test}")
