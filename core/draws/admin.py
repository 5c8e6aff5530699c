"""Show public draws in the admin: their state, the countdown, and the steps to take
(14.III.5.4).
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation
from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment, paper_links, tag
from core.admin_support.contents import Table
from core.admin_support.forms import ActForm, MomentField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.draws import manual, method, powers, services
from core.draws.documents import MOST_INLINE
from core.draws.models import (
    Announcement,
    Attendance,
    CallOff,
    Commitment,
    Draw,
    DrawCertificate,
    DrawField,
    Outcome,
)
from core.draws.services import announcement_of
from core.receipts.document import LANGUAGES
from core.staff.actor import StaffActor

Data = dict[str, Any]
State = Draw.State
_SOURCES = {"dice": _("dice"), "balls": _("balls"), "phrase": _("phrase")}
_OVER = (State.CERTIFIED, State.CALLED_OFF)


# --- Forms ----------------------------------------------------------------------------------------


class _Announce(ActForm):
    place = forms.CharField(label=_("Place"), max_length=300)
    planned_at = MomentField(label=_("Planned for"))

    def build(self) -> None:
        announcement = announcement_of(self.target)
        self.initial.update(place=announcement.place, planned_at=announcement.planned_at)


class _Enter(ActForm):
    source = forms.ChoiceField(label=_("Source"), choices=[*_SOURCES.items()])
    text = forms.CharField(
        label=_("What the witness gave"),
        max_length=method.MAX_ENTROPY_CHARACTERS,
        strip=False,
        help_text=_("As given: ten dice, six balls, or a phrase of the public, at least."),
    )
    witness = forms.CharField(label=_("Witness"), max_length=200)


class _Balls(ActForm):
    order = forms.CharField(
        label=_("Order"), help_text=_("As the balls came, the winner first, with commas between.")
    )
    drawn_at = MomentField(label=_("Drawn at"), initial=clock.now)
    place = forms.CharField(label=_("Place"), max_length=300)
    witness = forms.CharField(label=_("Witness"), max_length=200)
    cause = forms.CharField(label=_("Cause"), max_length=400)


class _Certify(ActForm):
    late_cause = forms.CharField(
        label=_("Cause of the delay"),
        max_length=400,
        required=False,
        help_text=_("Needed when the draw was made after its limit."),
    )
    observations = forms.CharField(
        label=_("Observations"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


# --- Acts -----------------------------------------------------------------------------------------


def _announce(by: StaffActor, draw: Draw, data: Data) -> Done:
    services.draw_reannounce(by=by, draw=draw.uuid, **data)
    return Done(_("The place and the time are announced."))


def _attend(by: StaffActor, draw: Draw, data: Data) -> Done:
    services.draw_attend(by=by, draw=draw.uuid)
    return Done(_("Your attendance is on record."))


def _commit(by: StaffActor, draw: Draw, data: Data) -> Done:
    services.draw_commit(by=by, draw=draw.uuid)
    return Done(_("The commitment is published. Now the witness acts."))


def _enter(by: StaffActor, draw: Draw, data: Data) -> Done:
    outcome = services.draw_enter(by=by, draw=draw.uuid, **data)
    return Done(format_html("{}: {}", _("The order"), ", ".join(outcome.order[:30])))


def _balls(by: StaffActor, draw: Draw, data: Data) -> Done:
    order = [entry.strip() for entry in data.pop("order").split(",") if entry.strip()]
    proposal = manual.manual_propose(by=by, draw=draw.uuid, order=order, **data)
    return Done(_("Proposed; a second person confirms it."), proposal)


def _certify(by: StaffActor, draw: Draw, data: Data) -> Done:
    services.draw_certify(by=by, draw=draw.uuid, **data)
    return Done(_("The draw is certified; its minutes are signed and published."))


def _in(*states: Draw.State) -> Any:
    return lambda by, draw: draw.state in states


def _attendable(by: StaffActor, draw: Draw) -> bool:
    return draw.state not in _OVER and not draw.attendances.filter(inspector=by.user_id).exists()


def about(draw: Draw) -> list[tuple[Any, Any]]:
    """Return the announcement and the order of a draw, as labels and values for a form."""
    announcement = announcement_of(draw)
    facts = [
        (_("place"), announcement.place or NOTHING),
        (_("planned for"), moment(announcement.planned_at)),
    ]
    outcome = Outcome.objects.filter(draw=draw).first()
    if outcome is not None:
        facts.append((_("order"), ", ".join(outcome.order[:30])))
        facts.append((_("witness"), outcome.witness))
    return facts


ACTS = (
    Act(
        name="announce",
        title=_("Announce place and time"),
        power=powers.CONDUCT,
        run=_announce,
        form=_Announce,
        icon="campaign",
        offered=_in(State.ANNOUNCED),
    ),
    Act(
        name="attend",
        title=_("Attend"),
        power=powers.CERTIFY,
        run=_attend,
        icon="how_to_reg",
        offered=_attendable,
        facts=about,
        text=_("You are present at this draw, as an inspector appointed (14.III.5.4.4)."),
    ),
    Act(
        name="commit",
        title=_("Commit to a secret"),
        power=powers.CONDUCT,
        run=_commit,
        icon="lock",
        offered=_in(State.ANNOUNCED),
        facts=about,
        danger=True,
        text=_("What is in the draw is fixed for good, and the commitment published."),
    ),
    Act(
        name="enter",
        title=_("Enter what the witness gave"),
        power=powers.CONDUCT,
        run=_enter,
        form=_Enter,
        icon="casino",
        offered=_in(State.COMMITTED),
        danger=True,
        text=_("The order is computed at once, once for ever."),
    ),
    Act(
        name="balls",
        title=_("Enter a draw by hand"),
        power=powers.CONDUCT,
        run=_balls,
        form=_Balls,
        icon="edit_note",
        offered=_in(State.ANNOUNCED, State.COMMITTED),
        text=_("Balls drawn while the system was down; a second person confirms them."),
    ),
    Act(
        name="certify",
        title=_("Certify the draw"),
        power=powers.CERTIFY,
        run=_certify,
        form=_Certify,
        icon="verified",
        offered=_in(State.DRAWN),
        facts=about,
        danger=True,
        text=_("The order stands for ever; the minutes are signed and published."),
    ),
)


# --- Pages ----------------------------------------------------------------------------------------


class _Announcements(ReadOnlyInline):
    model = Announcement
    shown = ("place", "planned_at", "announced_at", "announced_by")


class _Attendances(ReadOnlyInline):
    model = Attendance
    shown = ("inspector", "appointment", "attended_at")


class _Fields(ReadOnlyInline):
    model = DrawField
    shown = ("in_the_draw", "places", "fixed_at")

    @admin.display(description=_("in the draw"))
    def in_the_draw(self, row: DrawField) -> str:
        return ", ".join(row.entries[:MOST_INLINE])


class _Commitments(ReadOnlyInline):
    model = Commitment
    shown = ("published", "committed_at", "committed_by")

    @admin.display(description=_("commitment"))
    def published(self, row: Commitment) -> str:
        return bytes(row.digest).hex()


class _Outcomes(ReadOnlyInline):
    model = Outcome
    shown = (
        "method",
        "witness",
        "entropy_text",
        "cause",
        "order_shown",
        "place",
        "drawn_at",
        "entered_by",
    )

    @admin.display(description=_("order"))
    def order_shown(self, row: Outcome) -> str:
        return ", ".join(row.order[:MOST_INLINE])


class _Certificates(ReadOnlyInline):
    model = DrawCertificate
    shown = ("attendance", "late", "late_cause", "observations", "certified_at")


class _CallOffs(ReadOnlyInline):
    model = CallOff
    shown = ("reason", "called_off_at", "called_off_by")


def title_of(draw: Draw) -> str:
    """Return the draw's title in the language of the page."""
    language = (get_language() or "").partition("-")[0]
    return str(draw.title.get(language) or draw.title[LANGUAGES[0]])


def _left(draw: Draw) -> Any:
    """Return the time to the limit; the browser counts it down by the server's clock."""
    if draw.due_at is None or draw.state in (State.DRAWN, *_OVER):
        return NOTHING
    seconds = int((draw.due_at - clock.now()).total_seconds())
    if seconds < 0:
        return tag("rejected", _("Late"))
    return format_html('<strong data-seconds-left="{}"></strong>', seconds)


@admin.register(Draw)
class DrawAdmin(ReadOnlyAdmin):
    columns = ("name", "state", "declared_at", "due_at", "left")
    shown = ("name", "state", "left", "reason", "declared_at", "due_at", "papers")
    list_filter = ("state",)
    search_fields = ("subject",)
    inlines = (
        _Announcements,
        _Attendances,
        _Fields,
        _Commitments,
        _Outcomes,
        _Certificates,
        _CallOffs,
    )
    acts = ACTS

    class Media:
        js = ("admin_support/countdown.js",)

    @admin.display(description=_("draw"))
    def name(self, draw: Draw) -> str:
        return title_of(draw)

    @admin.display(description=_("time left"))
    def left(self, draw: Draw) -> Any:
        return _left(draw)

    @admin.display(description=_("papers"))
    def papers(self, draw: Draw) -> SafeString:
        papers = {_("Notice"): f"/api/v1/draws/{draw.uuid}/notice.pdf"}
        if draw.state == State.CERTIFIED:
            papers[_("Minutes")] = f"/api/v1/draws/{draw.uuid}/minutes.pdf"
        return paper_links(papers)


def draws_panel(request: HttpRequest) -> Table:
    waiting = Draw.objects.exclude(state__in=_OVER).order_by("due_at", "pk")
    rows = [
        (
            link(draw, title_of(draw)),
            tag(draw.state, draw.get_state_display()),
            announcement_of(draw).place or NOTHING,
            moment(draw.due_at),
            _left(draw),
        )
        for draw in waiting[:20]
    ]
    return Table(
        title=_("Public draws to be held"),
        icon="casino",
        headers=(_("draw"), _("state"), _("place"), _("at the latest"), _("time left")),
        rows=rows,
        empty=_("Nothing is to be drawn."),
        link=navigation.changelist_url(Draw),
    )
