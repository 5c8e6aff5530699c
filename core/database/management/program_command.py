"""Define the base class of this program's commands."""

from django.core.management.base import BaseCommand


class ProgramCommand(BaseCommand):
    """A command that starts without Django's checks.

    They load all addresses and pages, which takes as long as everything else that a command loads.
    `migrate` has made them, for this program and this database; `make check` makes them, too.
    """

    requires_system_checks: list[str] = []
