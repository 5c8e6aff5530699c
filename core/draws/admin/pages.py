"""Show public draws in the admin: their state and the countdown (14.III.5.4)."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation
from core.admin_support.columns import NOTHING, link, moment, paper_links, tag
from core.admin_support.contents import Table
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.draws import powers
from core.draws.admin.acts import ACTS, SOURCES, title_of
from core.draws.documents import MOST_INLINE
from core.draws.models import (
    Abandonment,
    Announcement,
    Attendance,
    CallOff,
    Commitment,
    Draw,
    DrawCertificate,
    DrawField,
    Outcome,
    PlaceReason,
)
from core.draws.services import announcement_of

State = Draw.State


class _Announcements(ReadOnlyInline):
    model = Announcement
    shown = ("place", "office", "elsewhere", "planned_at", "announced_at", "announced_by")

    @admin.display(description=_("reason for another place"))
    def elsewhere(self, row: Announcement) -> str:
        reason = PlaceReason.objects.filter(announcement=row).first()
        return str(reason) if reason else NOTHING


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
    shown = ("published", "gives", "pieces", "committed_at", "committed_by")

    @admin.display(description=_("the witness gives"))
    def gives(self, row: Commitment) -> Any:
        return SOURCES[row.source]

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


class _Abandonments(ReadOnlyInline):
    model = Abandonment
    shown = ("reason", "attendance", "secret_published", "abandoned_at")

    @admin.display(description=_("secret"))
    def secret_published(self, row: Abandonment) -> str:
        return bytes(row.secret).hex()


def _left(draw: Draw) -> Any:
    """Return the time to the limit; the browser counts it down by the server's clock."""
    if draw.due_at is None or draw.state in (State.DRAWN, *Draw.OVER):
        return NOTHING
    seconds = int((draw.due_at - clock.now()).total_seconds())
    if seconds < 0:
        return tag("rejected", _("Late"))
    return format_html('<strong data-seconds-left="{}"></strong>', seconds)


@admin.register(Draw)
class DrawAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("name", "state", "declared_at", "due_at", "left")
    shown = ("name", "state", "left", "reason", "declared_at", "due_at", "papers")
    list_filter = ("state",)
    told = ("subject",)
    told_as = staticmethod(title_of)
    search_fields = ("subject",)
    inlines = (
        _Announcements,
        _Attendances,
        _Fields,
        _Commitments,
        _Outcomes,
        _Certificates,
        _CallOffs,
        _Abandonments,
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


@admin.register(PlaceReason)
class PlaceReasonAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("announcement", "reason", "attendance", "stated_at")
    shown = ("announcement", "reason", "attendance", "stated_at")


def draws_panel(request: HttpRequest) -> Table:
    waiting = Draw.objects.exclude(state__in=Draw.OVER).order_by("due_at", "pk")
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
        link=navigation.list_link(request, Draw),
    )
