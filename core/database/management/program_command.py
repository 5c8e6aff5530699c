"""Define the base class of this program's commands."""

from typing import Any, Literal

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from psycopg import errors

from core.kernel.errors import DomainError

_NOT_MIGRATED = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedFunction,
    errors.InsufficientPrivilege,
)


class ProgramCommand(BaseCommand):
    """A command that starts without Django's checks, and says in words what it was refused, and
    that the database is away.

    The checks load all addresses and pages, which takes as long as everything else that a command
    loads. `migrate` has made them, for this program and this database; `make check` makes them.
    """

    requires_system_checks: list[str] | Literal["__all__"] = []
    needs_keys = True
    """Whether the keys are compared with those of the database before it begins (ADR 94)."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except DomainError as error:
            raise CommandError(f"{error.code}: {error} {error.data or ''}".rstrip()) from error
        except OperationalError as error:
            raise CommandError(
                "the database does not answer, or ended the work; what was not finished is undone:"
                f" {error}"
            ) from error
        except ProgrammingError as error:
            if not isinstance(error.__cause__, _NOT_MIGRATED):
                raise
            raise CommandError(
                "the database is not migrated for this program, or this role lacks a right; run"
                f" migrate: {str(error).splitlines()[0]}"
            ) from error
