"""Show the story of a row on its page: each step with who, when, before and after, in words.

The journal has the acts of every door. The story has those that wrote the row, or a row that refers
to it, if the person may read that table. It has the changes of columns that the page shows anyway.
It has rows of players only on the pages of the same player's rows, where the look is on record.
"""

import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext

from core.admin_support.columns import (
    NOTHING,
    link,
    listed,
    moment,
    show,
    title_of,
    yes_no,
)
from core.admin_support.contents import administrations
from core.database.models import SECRET_FIELDS, Guarded
from core.journal import selectors
from core.journal.models import Act, Change
from core.looks.recording import is_watched


@dataclasses.dataclass(frozen=True, slots=True)
class StoryStep:
    """A step in words: when, who, the rows written as links, and each change: of, from, to."""

    at: str
    who: str
    act: Any
    written: list[tuple[str, Any]]
    changed: list[tuple[Any, Any, Any, Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Story:
    """The steps, the oldest first, and what is left out of them: sentences, some with a link."""

    steps: list[StoryStep]
    left_out: list[Any]


def story_of(request: HttpRequest, row: models.Model) -> Story | None:
    """Return the story of a row as this person may read it; None for a row without one."""
    if not isinstance(row, Guarded) or row._meta.app_label in ("journal", "looks"):
        return None
    further = [
        event
        for part in administrations()
        if part.story
        for event in part.story(request, row)
        if _may_read(request, type(event)) is not False
    ]
    related = list(_related(request, type(row)))
    whole = selectors.story(row, related, further)
    reads_journal = bool(_may_read(request, Act))
    steps = [
        line for step in whole.steps if (line := _line(row, step, reads_journal=reads_journal))
    ]
    left_out = [_left_out(row, key, rows) for key, rows in whole.left_out]
    if whole.older_changes:
        left_out.append(gettext("Older changes are in the journal only."))
    return Story(steps, left_out) if steps else None


def _left_out(row: models.Model, key: Any, rows: int) -> Any:
    """Say how many older rows of a table are not told, with a link to all of them if there is a
    list that takes the question.
    """
    meta = key.model._meta
    title = capfirst(str(meta.verbose_name_plural))
    words = ngettext("%(n)d older one", "%(n)d older ones", rows) % {"n": rows}
    if rows >= selectors.MOST_COUNTED:
        words = gettext("more than %(n)d older ones") % {"n": rows}
    words = f"{title}: {words}"
    page: Any = admin.site._registry.get(key.model)
    lookup = f"{key.name}__id__exact"
    if page is None or not page.lookup_allowed(lookup, str(row.pk)):
        return words
    return listed(key.model, words, **{lookup: row.pk})


def _may_read(request: HttpRequest, model: type[models.Model]) -> bool | None:
    """Return whether the person reads the table; None if it has no page."""
    page = admin.site._registry.get(model)
    return None if page is None else bool(page.has_view_permission(request))


def _related(request: HttpRequest, model: type[models.Model]) -> Iterator[Any]:
    """Return the foreign keys that point to a model, of tables that may be told."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and (relation.one_to_many or relation.one_to_one)):
            continue
        key: Any = getattr(relation, "field", None)
        if key is None or not issubclass(key.model, Guarded) or key.model is model:
            continue
        is_indexed = key.db_index or key.unique
        may_tell = is_watched(model) or not is_watched(key.model)
        if is_indexed and may_tell and _may_read(request, key.model):
            yield key


def _line(row: models.Model, step: selectors.Step, *, reads_journal: bool) -> StoryStep | None:
    written = [
        (capfirst(str(one._meta.verbose_name)), "" if one == row else link(one, title_of(one)))
        for one in step.rows
    ]
    changed = [words for one, change in step.changes for words in _changes(row, one, change)]
    if not written and not changed:
        return None
    act = link(step.act) if reads_journal else ""
    return StoryStep(moment(step.act.at), _who(step.act), act, written, changed)


def _who(act: Act) -> str:
    if act.user is not None:
        return str(act.user.full_name)
    if act.terminal is not None:
        operator = f" · {act.operator.name}" if act.operator else ""
        return f"{act.terminal.code}{operator}"
    return gettext("the system")


def _changes(row: models.Model, one: models.Model, change: Change) -> Iterator[Any]:
    """Return the changes of the columns that the page of the changed row shows."""
    page: Any = admin.site._registry.get(type(one))
    on_the_page = page.asked_names() if page else set()
    for field in one._meta.concrete_fields:
        secret = isinstance(field, models.BinaryField) or field.name in SECRET_FIELDS
        if field.column not in change.before or secret or field.name not in on_the_page:
            continue
        of = "" if one == row else link(one)
        before, after = change.before[field.column], change.after[field.column]
        yield capfirst(str(field.verbose_name)), of, _value(field, before), _value(field, after)


def _value(field: Any, written: Any) -> Any:
    """Return a value of the journal as the page shows the column."""
    if written is None:
        return NOTHING
    if isinstance(field, models.ForeignKey):
        return link(field.remote_field.model._default_manager.filter(pk=written).first())
    try:
        value = field.to_python(written)
    except (ValidationError, TypeError, ValueError):
        return str(written)
    if isinstance(value, bool):
        return yes_no(value)
    return show(field, SimpleNamespace(**{field.name: value}))
