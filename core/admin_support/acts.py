"""Acts: what a person may do in the admin, each through the service that does it.

An act asks for its input, shows what it is about to do, and does it in one transaction, as the
person signed on. Who did what is kept in the admin's log, too, with the session.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext

from core.admin_support import signed_on
from core.admin_support.columns import url_of
from core.admin_support.contents import collected
from core.admin_support.forms import ActForm
from core.admin_support.key_names import key_name
from core.api.problems import domain_error
from core.journal import acting
from core.kernel.errors import DomainError, InvariantBroken, Unavailable
from core.staff.actor import StaffActor

Text = str | Promise
# What a code in a refusal's rows says, where the row's own sentence is English only; `{name}` is
# whatever stands there in that sentence.
Facts = Sequence[tuple[Text, Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What came of an act: a sentence, the row to go to, and what is shown this once only."""

    message: Text
    row: Model | None = None
    secret: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`run` gets the actor, the target (None for acts on a list) and the form's clean data.

    `power` is the service's, or says it of a target. `offered` tells whether the act makes sense
    now; the service decides. `facts` are what to look at before doing it. Without `review` there
    is no second look at the input. Without `atomic` the service keeps its own transactions.
    """

    name: str
    title: Text
    power: str | Callable[[Any], str]
    run: Callable[[StaffActor, Any, dict[str, Any]], Done]
    text: Text = ""
    form: type[ActForm] | None = None
    offered: Callable[[StaffActor, Any], bool] = lambda by, target: True
    facts: Callable[[Any], Facts] = lambda target: ()
    icon: str = "play_arrow"
    danger: bool = False
    review: bool = True
    atomic: bool = True

    def power_for(self, target: Any) -> str:
        return self.power if isinstance(self.power, str) else self.power(target)

    def open_to(self, by: StaffActor, target: Any) -> bool:
        """Whether to show the act to this person."""
        return by.may(self.power_for(target)) and self.offered(by, target)


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """A domain error for people: its sentence and code, and the rows of what exactly is wrong."""

    message: str
    code: str
    facts: list[tuple[str, Any]]
    headers: list[str]
    rows: list[list[Any]]

    @classmethod
    def of(cls, error: DomainError) -> "Refusal":
        lists = [v for v in error.data.values() if _is_table(v)]
        found = [_in_words(row) for row in lists[0]] if lists else []
        names = list(dict.fromkeys(name for row in found for name in row))
        facts = [(key_name(k), v) for k, v in error.data.items() if isinstance(v, str | int)]
        facts += [(key_name(k), ", ".join(map(str, v))) for k, v in error.data.items() if _plain(v)]
        message = error.message if found else error.detail
        return cls(
            gettext(message),
            error.code,
            facts,
            [key_name(name) for name in names],
            [[_cell(row.get(name)) for name in names] for row in found],
        )


def _in_words(row: Mapping[str, Any]) -> Mapping[str, Any]:
    code = row.get("code")
    texts = collected("code_texts")
    if code not in texts:
        return row
    name = "message" if "message" in row else "detail"
    return {**row, name: _translated(texts[code], str(row.get(name, "")))}


def _translated(text: Text, english: str) -> str:
    """The sentence in the language in force, with the values that its English form has."""
    with translation.override(None):
        form = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(str(text)))
    found = re.fullmatch(form, english)
    if found is None:
        return english if "(?P<" in form else str(text)
    return str(text).format_map(found.groupdict())


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _plain(value: Any) -> bool:
    return isinstance(value, list | tuple) and not _is_table(value)


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else gettext(value) if isinstance(value, str) and value else value


def perform(
    act: Act, request: HttpRequest, target: Any, context: dict[str, Any], back: str
) -> HttpResponse:
    """Ask, show, do. `back` is where the person came from. Raises PermissionDenied."""
    by = signed_on.actor(request)
    if not by.may(act.power_for(target)):
        raise PermissionDenied
    page = context | {
        "act": act,
        "target": target,
        "back": back,
        "facts": act.facts(target),
        "title": act.title,
    }
    if request.method != "POST":
        form = act.form(target=target) if act.form else None
        return _page(request, page, form, asks=True)
    form = act.form(request.POST, request.FILES, target=target) if act.form else None
    if form is not None and not form.is_valid():
        return _page(request, page, form, asks=True)
    if form is not None and act.review and "do" not in request.POST:
        return _page(request, page, form, asks=False)
    try:
        done = _do(act, by, target, form.cleaned_data if form else {})
    except (DomainError, OperationalError) as error:
        return _page(request, page | {"refusal": _refusal(error)}, form, asks=True)
    if done.secret:
        return TemplateResponse(request, "admin_support/secret.html", page | {"done": done})
    messages.success(request, str(done.message))
    if request.GET.get("back") == back:  # the page that offered the act wants to go on itself
        return HttpResponseRedirect(back)
    return HttpResponseRedirect((url_of(done.row) if done.row else "") or back)


def _page(
    request: HttpRequest, page: dict[str, Any], form: ActForm | None, *, asks: bool
) -> HttpResponse:
    return TemplateResponse(request, "admin_support/act.html", page | {"form": form, "asks": asks})


def _refusal(error: Exception) -> Refusal:
    """Raises again what is a fault of ours, so that it is logged as one."""
    known = domain_error(error)
    if not isinstance(error, DomainError) and not isinstance(known, Unavailable):
        raise error
    if isinstance(known, InvariantBroken):
        raise error
    return Refusal.of(known)


def _do(act: Act, by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    who = dataclasses.replace(
        acting.present(),
        name=f"admin:{act.power_for(target)}:{act.name}",
        staff=by.user_id,
        staff_session=by.session_id,
    )
    acting.begin(who)
    with transaction.atomic() if act.atomic else nullcontext():
        done = act.run(by, target, data)
        _log(act, by, target or done.row)
    return done


def _log(act: Act, by: StaffActor, row: Any) -> None:
    """Who did what, in which session: the admin's own history."""
    LogEntry.objects.create(
        user_id=by.user_id,
        action_flag=CHANGE,
        content_type=ContentType.objects.get_for_model(row) if row else None,
        object_id=str(row.pk) if row else None,
        object_repr=str(row or "")[:200],
        change_message=f"{act.power_for(row)}: {act.name} (session {by.session_id})",
    )
