"""Let a second person decide the waiting proposals one after another, also by keyboard.

Each proposal has a page of its own with all that would be done; a decision leads to the next one.
The page takes no decision before it was on the screen for a moment and was read to its end. So a
key that is held down, or a double press, does not decide the next proposal too (`decision.js`). The
same decision sent again changes nothing, because a proposal is decided once.
"""

import re
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import proposal_texts, signed_on
from core.admin_support.acts import Done, Refusal, carry_out
from core.admin_support.columns import moment, named
from core.admin_support.contents import Keep, Page, Place
from core.admin_support.readonly import asked_back
from core.database import clock
from core.staff import powers, two_persons
from core.staff.actor import StaffActor
from core.staff.admin.proposals import CONFIRM, REJECT, address_of, may_confirm, waiting_for
from core.staff.models import Decision, Proposal

PART = "part"
"""The parameter with which a page that is open asks for what has changed."""


class _Reason(forms.Form):
    """The reason of a rejection, which the queue asks for."""

    reason = forms.CharField(label=_("Reason"), max_length=400)


def _reader(request: HttpRequest) -> StaffActor:
    if not signed_on.may(request, powers.READ_PROPOSALS):
        raise PermissionDenied
    return signed_on.actor(request)


def _first(request: HttpRequest) -> HttpResponse:
    """Redirect to the next proposal that waits for this person; if there is none, say so.

    `after` in the query is the proposal that was passed over.
    """
    by, after = _reader(request), request.GET.get("after", "")
    waiting = waiting_for(by)
    passed = int(after) if re.fullmatch(r"[0-9]{1,18}", after) else 0
    following = [row for row in waiting if row.pk > passed]
    queue = reverse("admin:decisions")
    context = {
        "arrived": len(following),
        "next": f"{queue}?{urlencode({'after': passed})}",
        "left": len(waiting) - len(following),
        "again": queue,
    }
    if PART in request.GET:
        return TemplateResponse(request, "admin_support/decisions_part.html", context)
    if following:
        return HttpResponseRedirect(address_of(following[0]))
    context |= admin.site.each_context(request) | {
        "title": _("Decisions"),
        "part": f"{queue}?{urlencode({'after': passed, PART: 1})}",
    }
    return TemplateResponse(request, "admin_support/decisions_done.html", context)


def _next(request: HttpRequest, proposal: Proposal) -> HttpResponse:
    """Lead to the next proposal, or back to the page that sent the person here."""
    query = urlencode({"after": proposal.pk})
    return HttpResponseRedirect(asked_back(request) or f"{reverse('admin:decisions')}?{query}")


def _one(request: HttpRequest, proposal: UUID) -> HttpResponse:
    """Show a proposal to decide on, and take the decision."""
    by = _reader(request)
    rows = Proposal.objects.filter(uuid=proposal).select_related("proposed_by__given__decision")
    row = rows.first()
    if row is None:
        raise Http404
    if request.method == "POST":
        return _decide(request, by, row)
    if PART in request.GET:
        return JsonResponse(_state(by, row))
    if not (by.may(two_persons.power_of(row)) and may_confirm(by, row)):
        messages.warning(request, _why_not(by, row))
        return _next(request, row)
    return _page(request, by, row)


def _state(by: StaffActor, row: Proposal) -> dict[str, str]:
    """Return the state for the page of a proposal.

    It is the position among the waiting ones, or the reason why this person cannot decide it here
    any more.
    """
    waiting = [each.pk for each in waiting_for(by)]
    if row.pk not in waiting:
        return {"position": "", "gone": _why_not(by, row)}
    names = {"position": waiting.index(row.pk) + 1, "waiting": len(waiting)}
    return {"position": gettext("%(position)s of %(waiting)s") % names, "gone": ""}


def _decide(request: HttpRequest, by: StaffActor, row: Proposal) -> HttpResponse:
    confirms = request.POST.get("decision") == "confirm"
    act, form = (CONFIRM if confirms else REJECT), _Reason(request.POST)
    if not by.may(act.power_for(row)):
        raise PermissionDenied
    if not confirms and not form.is_valid():
        return _page(request, by, row, form=form)
    done = carry_out(act, by, row, {} if confirms else form.cleaned_data)
    if isinstance(done, Done):
        messages.success(request, f"{proposal_texts.title_text(row)}. {done.message}")
        return _next(request, row)
    if may_confirm(by, row):  # The act is refused as things stand; the proposal still waits.
        return _page(request, by, row, refusal=done)
    messages.warning(request, _why_not(by, row))
    return _next(request, row)


def _why_not(by: StaffActor, row: Proposal) -> str:
    """Return why a proposal is not for this person to decide, in a sentence that names it."""
    names = {"title": proposal_texts.title_text(row)}
    decision = Decision.objects.filter(proposal=row).select_related("decided_by").first()
    if decision is not None:
        names |= {"who": named(decision.decided_by), "at": moment(decision.decided_at)}
        if decision.verdict == Decision.Verdict.CONFIRMED:
            return gettext("%(title)s. Confirmed already by %(who)s, %(at)s.") % names
        if decision.decided_by_id == row.proposed_by_id:
            return gettext("%(title)s. Withdrawn by %(who)s, who proposed it, %(at)s.") % names
        return gettext("%(title)s. Rejected already by %(who)s, %(at)s.") % names
    if by.user_id == row.proposed_by_id or by.session_id == row.proposed_in_id:
        return gettext("%(title)s. You proposed it: another person decides.") % names
    if not by.may(two_persons.power_of(row)):
        return gettext("%(title)s. Your roles do not decide on it.") % names
    if not two_persons.may_be_second(by, clock.now()):
        names["at"] = moment(by.second_from)
        return gettext("%(title)s. Your account is too new to confirm it, until %(at)s.") % names
    return gettext("%(title)s. Nobody can confirm it any more: it lapsed.") % names


def _page(
    request: HttpRequest,
    by: StaffActor,
    row: Proposal,
    *,
    form: forms.Form | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    waiting = [each.pk for each in waiting_for(by)]
    context = admin.site.each_context(request) | {
        "title": _("Decisions"),
        "ident": row.uuid,
        "heading": proposal_texts.title_text(row),
        "proposed_by": named(row.proposed_by),
        "proposed_at": moment(row.proposed_at),
        "text": CONFIRM.text,
        "facts": CONFIRM.facts(row),
        "position": waiting.index(row.pk) + 1 if row.pk in waiting else 0,
        "waiting": len(waiting),
        "following": _next(request, row)["Location"],
        "form": form or _Reason(),
        "refusal": refusal,
    }
    return TemplateResponse(request, "admin_support/decision.html", context)


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("decisions/", keep(_first), name="decisions"),
        path("decisions/<uuid:proposal>/", keep(_one), name="decision"),
    ]


PAGE = Page(
    title=_("Decisions"),
    icon="checklist",
    name="decisions",
    place=Place.SETTINGS,
    of_today=True,
    order=5,
    power=powers.READ_PROPOSALS,
    urls=_urls,
)
