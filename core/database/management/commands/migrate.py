"""Migrate while sales go on: one at a time, and again while sales hold a lock that it needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.state import ModelState, ProjectState

from core.database.installing import alone, until_unlocked

_add_model_and_others = ProjectState.add_model


class Command(migrate.Command):
    """Django's `migrate`. Two at once run one after the other."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate. A migration that did not get its lock was undone, and is tried again."""
        with alone(options["database"]), _classes_made_once():
            until_unlocked(partial(self._migrate, arguments, options))

    def _migrate(self, arguments: tuple[Any, ...], options: dict[str, Any], wait_ms: int) -> None:
        with connections[options["database"]].cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {wait_ms}")
        super().handle(*arguments, **options)


@contextmanager
def _classes_made_once() -> Iterator[None]:
    """Make one class for each new table, which takes a fifth of the time.

    Django makes the classes of all tables again that foreign keys join with the new one: here, of
    nearly all. Only a later change of a table needs that, and does it then.
    """
    ProjectState.add_model = _add_model  # type: ignore[method-assign]
    try:
        yield
    finally:
        ProjectState.add_model = _add_model_and_others  # type: ignore[method-assign]


def _add_model(self: ProjectState, model_state: ModelState) -> None:
    """Add a model, and its class alone."""
    apps = self.__dict__.pop("apps", None)
    _add_model_and_others(self, model_state)
    if apps is not None:
        self.apps = apps
        apps.render_multiple([model_state])
