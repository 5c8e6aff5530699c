"""Carry out acts in the admin. Each act calls the service that does it.

An act asks for its input, shows it for confirmation, and is done in one transaction as the person
signed on. The admin's log records the act with its session.
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
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import url_of
from core.admin_support.contents import collected
from core.admin_support.forms import ActForm
from core.admin_support.key_names import key_name
from core.api.problems import domain_error
from core.database import clock
from core.journal import acting
from core.kernel.errors import DomainError, InvariantBroken, Unavailable
from core.receipts import qr
from core.staff.actor import StaffActor

Text = str | Promise
Facts = Sequence[tuple[Text, Any]]
PROPOSED = _("Proposed; a second person confirms it.")


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """The result of an act: a message, the row to show next, and a secret that is shown once, as a
    symbol too if it is `scanned`.
    """

    message: Text
    row: Model | None = None
    secret: str = ""
    scanned: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An act that the admin offers for a row, or for a list.

    `run` takes the actor, the target (None for acts of a list) and the form's cleaned data. `power`
    is the power that the service asks for, or a function of the target that returns it. `offered`
    says whether the act makes sense now; the service decides. `facts` are shown before the act.
    `review` shows the input again before the act is done. `atomic` runs the act in one transaction;
    without it the service keeps its own. What is `due` stands first on the page, in green unless
    it is a `danger`; a danger that is not due is rare, and stands at the end.
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
    due: bool = False
    review: bool = True
    atomic: bool = True

    @property
    def is_rare(self) -> bool:
        return self.danger and not self.due

    def power_for(self, target: Any) -> str:
        return self.power if isinstance(self.power, str) else self.power(target)

    def open_to(self, by: StaffActor, target: Any) -> bool:
        """Return whether this person is offered the act."""
        return by.may(self.power_for(target)) and self.offered(by, target)


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """A domain error for people: its message and code, its data as facts, and its list of errors as
    rows.
    """

    message: str
    code: str
    facts: list[tuple[str, Any]]
    headers: list[str]
    rows: list[list[Any]]

    @classmethod
    def of(cls, error: DomainError) -> "Refusal":
        """Return the error in the language in force. The first list of objects in its data gives
        the rows.
        """
        data = error.data.items()
        tables = [value for _, value in data if _is_table(value)]
        rows = [_in_words(row) for row in tables[0]] if tables else []
        names = list(dict.fromkeys(name for row in rows for name in row))
        facts = [(key_name(key), value) for key, value in data if isinstance(value, str | int)]
        facts += [(key_name(key), ", ".join(map(str, v))) for key, v in data if _is_plain(v)]
        message = error.message if rows else error.detail
        return cls(
            gettext(message),
            error.code,
            facts,
            [key_name(name) for name in names],
            [[_cell(row.get(name)) for name in names] for row in rows],
        )


def _in_words(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row of a refusal with its English sentence replaced by the text of its code."""
    code = row.get("code")
    texts = collected("code_texts")
    if code not in texts:
        return row
    name = "message" if "message" in row else "detail"
    return {**row, name: _translated(texts[code], str(row.get(name, "")))}


def _translated(text: Text, english: str) -> str:
    """Return the text in the language in force, with the values taken from its English form.

    `{name}` in the text stands for any value at that place of the English sentence.
    """
    with translation.override(None):
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(str(text)))
    match = re.fullmatch(pattern, english)
    if match is None:
        return english if "(?P<" in pattern else str(text)
    return str(text).format_map(match.groupdict())


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, list | tuple) and not _is_table(value)


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else gettext(value) if isinstance(value, str) and value else value


def perform(
    act: Act, request: HttpRequest, target: Any, context: dict[str, Any], back: str
) -> HttpResponse:
    """Ask for the input, show it, and do the act. Return the page for each step.

    `back` is the page that the person came from. Raises PermissionDenied.
    """
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
    form = _form(act, request, target)
    if request.method != "POST":
        return _page(request, page, form, asks=True)
    if form is not None:
        if form.live_template and "live" in request.POST:
            form.is_valid()
            return TemplateResponse(request, form.live_template, {"form": form} | form.live())
        if not form.is_valid():
            return _page(request, page, form, asks=True)
        if act.review and "do" not in request.POST:
            return _page(request, page, form, asks=False)
    done = carry_out(act, by, target, form.cleaned_data if form else {})
    if isinstance(done, Refusal):
        return _page(request, page | {"refusal": done}, form, asks=True)
    if done.secret:
        symbol = qr.drawing(done.secret) if done.scanned else ""
        secret_page = page | {"done": done, "symbol": symbol}
        return TemplateResponse(request, "admin_support/secret.html", secret_page)
    messages.success(request, str(done.message))
    if request.GET.get("back") == back:  # The page that offered the act asked to be shown again.
        return HttpResponseRedirect(back)
    return HttpResponseRedirect((url_of(done.row) if done.row else "") or back)


def _form(act: Act, request: HttpRequest, target: Any) -> ActForm | None:
    """Return the form of an act with what was posted, if it has one."""
    if act.form is None:
        return None
    posted: tuple[Any, ...] = (request.POST, request.FILES) if request.method == "POST" else ()
    return act.form(*posted, target=target, asked=request.GET.dict())


def _page(
    request: HttpRequest, page: dict[str, Any], form: ActForm | None, *, asks: bool
) -> HttpResponse:
    page |= {"form": form, "asks": asks}
    if form is not None and form.live_template and not asks:
        page |= form.live()
    return TemplateResponse(request, "admin_support/act.html", page)


def carry_out(act: Act, by: StaffActor, target: Any, data: dict[str, Any]) -> Done | Refusal:
    """Do an act with its cleaned input, and log it. Return its result, or the refusal.

    The service asks for the power. A refusal leaves nothing behind.
    """
    try:
        return _do(act, by, target, data)
    except (DomainError, OperationalError) as error:
        return _refusal(error)


def _refusal(error: Exception) -> Refusal:
    """Return the refusal for an error. Raise errors that are faults of the system again, to be
    logged.
    """
    refused = domain_error(error)
    if not isinstance(error, DomainError) and not isinstance(refused, Unavailable):
        raise error
    if isinstance(refused, InvariantBroken):
        raise error
    return Refusal.of(refused)


def _do(act: Act, by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    act_on_record = dataclasses.replace(
        acting.present(),
        name=f"admin:{act.power_for(target)}:{act.name}",
        staff=by.user_id,
        staff_session=by.session_id,
    )
    acting.begin(act_on_record)
    with transaction.atomic() if act.atomic else nullcontext():
        done = act.run(by, target, data)
        _log(act, by, target or done.row)
    return done


def _log(act: Act, by: StaffActor, row: Any) -> None:
    """Record the act, its person and the session in the admin's log."""
    LogEntry.objects.create(
        action_time=clock.now(),  # its default is the time of this machine
        user_id=by.user_id,
        action_flag=CHANGE,
        content_type=ContentType.objects.get_for_model(row) if row else None,
        object_id=str(row.pk) if row else None,
        object_repr=str(row or "")[:200],
        change_message=f"{act.power_for(row)}: {act.name} (session {by.session_id})",
    )
