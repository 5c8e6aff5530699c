"""Show migrations, or say in words that the database is away."""

from django.core.management.commands import showmigrations

from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand, showmigrations.Command):
    """Django's `showmigrations`."""

    needs_keys = False  # the database may have no table for them yet
