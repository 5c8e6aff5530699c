"""`manage.py journal_verify`: verify the journal and every row; name the changed places."""

import functools
from argparse import ArgumentTypeError
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.database.reading.standby import read_much
from core.journal.install import journaled
from core.journal.services import last_batch
from core.journal.verifying import Fault, verify


class Command(ProgramCommand):
    help = (
        "Verify the journal and every row that it has sealed, and name each place that was changed."
        " Exit with 1 if there is one. Change nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--most", type=_positive, default=1000, help="name at most so many places (1000)"
        )
        parser.add_argument(
            "--table",
            action="append",
            default=[],
            help="verify the rows of this table only; give it again for another table",
        )
        parser.add_argument(
            "--since", type=int, default=0, help="begin after the batch of this number"
        )
        parser.add_argument(
            "--step",
            type=_positive,
            help="verify so many batches at a time, and say how far it is: if it is interrupted, "
            "go on with --since",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        _need_there(options)
        batches = entries = changed = unbegun = 0
        is_cut = False
        whole = functools.partial(verify, most=options["most"], tables=options["table"])
        for since, until in _parts(options["since"], options["step"]):
            part = read_much(functools.partial(whole, since=since, until=until))
            for finding in part.findings:
                self.stdout.write(f"{finding.what}: {finding.detail}")
                changed += finding.what is not Fault.UNBEGUN
                unbegun += finding.what is Fault.UNBEGUN
            batches += part.batches
            entries += part.entries
            is_cut |= part.is_cut
            if until is not None:
                self.stdout.write(f"verified up to batch {until}")
                self.stdout.flush()
        sealed = f"{batches} batches, {entries} entries"
        if changed:
            more = " or more" if is_cut else ""
            raise CommandError(f"{sealed}; changed in {changed}{more} places")
        if unbegun:
            raise CommandError(f"{sealed}; nothing was changed, and nothing can be written")
        self.stdout.write(f"{sealed}; nothing was changed")


def _need_there(options: dict[str, Any]) -> None:
    """Raise CommandError unless the journal has the tables and the batch that were named."""
    unknown = sorted(set(options["table"]) - {table.name for table in journaled()})
    if unknown:
        raise CommandError(f"the journal covers no table {unknown[0]}")
    newest = last_batch()
    if not 0 <= options["since"] <= (newest.number if newest else 0):
        raise CommandError("--since names a batch that is not there: nothing was verified")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("a whole number from 1 on")
    return int(text)


def _parts(since: int, step: int | None) -> Iterator[tuple[int | None, int | None]]:
    """Yield the parts to verify; the last one has no end, so that what is not sealed is seen."""
    last = last_batch()
    number = since
    while step and last is not None and number + step < last.number:
        yield number or None, number + step
        number += step
    yield number or None, None
