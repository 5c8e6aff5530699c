"""Migrate while sales go on: one at a time, and again while sales hold a lock that it needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.state import ModelState, ProjectState
from django.db.models.signals import pre_migrate
from django.dispatch import receiver

from core.database.installing import alone, until_unlocked
from core.database.management.program_command import ProgramCommand

_add_model_and_others = ProjectState.add_model
_add_field_and_others = ProjectState.add_field
_add_index_and_others = ProjectState.add_index
_add_constraint_and_others = ProjectState.add_constraint


class Command(ProgramCommand, migrate.Command):
    """Django's `migrate`, with Django's checks. Two at once run one after the other."""

    requires_system_checks = "__all__"

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate. A migration that did not get its lock was undone, and is tried again."""
        with alone(options["database"]), _classes_made_once():
            until_unlocked(partial(self._migrate, arguments, options))

    def _migrate(self, arguments: tuple[Any, ...], options: dict[str, Any], wait_ms: int) -> None:
        with connections[options["database"]].cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {wait_ms}")
        super().handle(*arguments, **options)


@receiver(pre_migrate)
def _only_forwards(plan: list[tuple[Migration, bool]], **_: Any) -> None:
    """Refuse to undo a migration in production. Raises CommandError before anything is done."""
    if settings.PRODUCTION and any(backwards for _, backwards in plan):
        raise CommandError(
            "there is no migrating backwards: it would drop what was written since, under functions"
            " that need it. To go back, start the old program: the database stays as it is"
            " (docs/operations/installation.md)"
        )


@contextmanager
def _classes_made_once() -> Iterator[None]:
    """Make one class for each change of a table, which takes a third of the time.

    Django makes the classes of all tables again that foreign keys join with that table: here, of
    nearly all. A new table, a new column, a new index and a new constraint need its own class
    alone. Other changes do as Django does.
    """
    ProjectState.add_model = _add_model  # type: ignore[method-assign]
    ProjectState.add_field = _alone(_add_field_and_others)  # type: ignore[method-assign]
    ProjectState.add_index = _alone(_add_index_and_others)  # type: ignore[method-assign]
    ProjectState.add_constraint = _alone(_add_constraint_and_others)  # type: ignore[method-assign]
    try:
        yield
    finally:
        ProjectState.add_model = _add_model_and_others  # type: ignore[method-assign]
        ProjectState.add_field = _add_field_and_others  # type: ignore[method-assign]
        ProjectState.add_index = _add_index_and_others  # type: ignore[method-assign]
        ProjectState.add_constraint = _add_constraint_and_others  # type: ignore[method-assign]


def _add_model(self: ProjectState, model_state: ModelState) -> None:
    """Add a model, and its class alone."""
    apps = self.__dict__.pop("apps", None)
    _add_model_and_others(self, model_state)
    if apps is not None:
        self.apps = apps
        apps.render_multiple([model_state])


def _alone(change: Callable[..., None]) -> Callable[..., None]:
    """Return a change of a model's state that makes the class of that model again, and no other."""

    def changed(self: Any, app_label: str, model_name: str, *what: Any, **options: Any) -> None:
        apps = self.__dict__.pop("apps", None)
        change(self, app_label, model_name, *what, **options)
        if apps is not None:
            self.apps = apps
            with apps.bulk_update():
                apps.unregister_model(app_label, model_name)
            apps.render_multiple([self.models[app_label, model_name]])

    return changed
