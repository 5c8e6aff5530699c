"""Take the steps of a public draw in the admin (14.III.5.4)."""

from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, moment, tag
from core.admin_support.forms import ActForm, MomentField
from core.database import clock
from core.draws import abandoning, conducting, manual, method, powers, services
from core.draws.models import Announcement, Commitment, Draw, Outcome, PlaceReason
from core.draws.services import announcement_of, is_announced_late
from core.receipts.document import present_language
from core.staff.actor import StaffActor

Data = dict[str, Any]
State = Draw.State
SOURCES = {"dice": _("dice"), "balls": _("balls"), "phrase": _("phrase")}


# --- Forms ----------------------------------------------------------------------------------------


class _Announce(ActForm):
    place = forms.CharField(
        label=_("Place"),
        max_length=410,
        help_text=_(
            "A registered Central Office, by its code or as shown. Elsewhere the inspector must"
            " give the reason."
        ),
    )
    planned_at = MomentField(label=_("Planned for"))

    def build(self) -> None:
        announcement = announcement_of(self.target)
        self.initial.update(place=announcement.place, planned_at=announcement.planned_at)


class _Commit(ActForm):
    source = forms.ChoiceField(label=_("Source"), choices=[*SOURCES.items()])
    pieces = forms.IntegerField(
        label=_("How many dice or balls"),
        min_value=1,
        max_value=method.MOST_PIECES,
        required=False,
        initial=method.LEAST_DICE,
        help_text=_("Ten dice or six balls, at least. None for a phrase."),
    )


class _Reason(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=400)


class _Enter(ActForm):
    source = forms.ChoiceField(label=_("Source"), choices=[*SOURCES.items()])
    text = forms.CharField(
        label=_("What the witness gave"),
        max_length=method.MAX_ENTROPY_CHARACTERS,
        strip=False,
        help_text=_("As given, of the kind and number of the commitment."),
    )
    witness = forms.CharField(label=_("Witness"), max_length=200)

    def build(self) -> None:
        self.initial["source"] = Commitment.objects.get(draw=self.target).source


class _Balls(ActForm):
    order = forms.CharField(
        label=_("Order"), help_text=_("As the balls came, the winner first, with commas between.")
    )
    drawn_at = MomentField(label=_("Drawn at"), initial=clock.now)
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
    conducting.draw_commit(by=by, draw=draw.uuid, **data)
    return Done(_("The commitment is published. Now the witness acts."))


def _enter(by: StaffActor, draw: Draw, data: Data) -> Done:
    outcome = conducting.draw_enter(by=by, draw=draw.uuid, **data)
    return Done(format_html("{}: {}", _("The order"), ", ".join(outcome.order[:30])))


def _balls(by: StaffActor, draw: Draw, data: Data) -> Done:
    order = [entry.strip() for entry in data.pop("order").split(",") if entry.strip()]
    proposal = manual.manual_propose(by=by, draw=draw.uuid, order=order, **data)
    return Done(_("Proposed; the inspector who attends confirms it."), proposal)


def _justify(by: StaffActor, draw: Draw, data: Data) -> Done:
    services.place_justify(by=by, draw=draw.uuid, **data)
    return Done(_("The minutes will have the reason."))


def _abandon(by: StaffActor, draw: Draw, data: Data) -> Done:
    proposal = abandoning.abandonment_propose(by=by, draw=draw.uuid, **data)
    return Done(_("Proposed; an organiser confirms it."), proposal)


def _certify(by: StaffActor, draw: Draw, data: Data) -> Done:
    conducting.draw_certify(by=by, draw=draw.uuid, **data)
    return Done(_("The draw is certified; its minutes are signed and published."))


def _in(*states: Draw.State) -> Any:
    return lambda by, draw: draw.state in states


def _attendable(by: StaffActor, draw: Draw) -> bool:
    return (
        draw.state not in Draw.OVER and not draw.attendances.filter(inspector=by.user_id).exists()
    )


def _unjustified(by: StaffActor, draw: Draw) -> bool:
    announcement = announcement_of(draw)
    unsaid = not PlaceReason.objects.filter(announcement=announcement).exists()
    return draw.state == State.ANNOUNCED and _needs_reason(announcement) and unsaid


def _needs_reason(announcement: Announcement) -> bool:
    return announcement.office_id is None or is_announced_late(announcement)


def about(draw: Draw) -> list[tuple[Any, Any]]:
    """Return the announcement and the order of a draw, as labels and values for a form."""
    announcement = announcement_of(draw)
    facts: list[tuple[Any, Any]] = [
        (_("place"), announcement.place or NOTHING),
        (_("planned for"), moment(announcement.planned_at)),
    ]
    if _needs_reason(announcement):
        reason = PlaceReason.objects.filter(announcement=announcement).first()
        facts.append(
            (_("reason for another place or time"), reason or tag("rejected", _("Missing")))
        )
    commitment = Commitment.objects.filter(draw=draw).first()
    if commitment is not None:
        pieces = f": {commitment.pieces}" if commitment.pieces else ""
        facts.append((_("the witness gives"), f"{SOURCES[commitment.source]}{pieces}"))
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
        name="justify",
        title=_("Say why it is not where or when it was announced"),
        power=powers.CERTIFY,
        run=_justify,
        form=_Reason,
        icon="wrong_location",
        offered=_unjustified,
        facts=about,
        text=_(
            "Without your reason the draw is not held at this place and time. If it was announced"
            " anew after its time had come: nothing was drawn before."
        ),
    ),
    Act(
        name="commit",
        title=_("Commit to a secret"),
        power=powers.CONDUCT,
        run=_commit,
        form=_Commit,
        icon="lock",
        offered=_in(State.ANNOUNCED),
        facts=about,
        danger=True,
        text=_("What is in the draw is fixed for good, and the commitment published."),
    ),
    Act(
        name="enter",
        title=_("Enter what the witness gave"),
        power=powers.CERTIFY,
        run=_enter,
        form=_Enter,
        icon="casino",
        offered=_in(State.COMMITTED),
        facts=about,
        danger=True,
        text=_("The order is computed at once, once for ever."),
    ),
    Act(
        name="abandon",
        title=_("Abandon the draw"),
        power=powers.CERTIFY,
        run=_abandon,
        form=_Reason,
        icon="block",
        offered=_in(State.COMMITTED),
        facts=about,
        danger=True,
        text=_(
            "Only if it truly cannot go on. An organiser confirms it; the secret is published, and"
            " another draw is announced."
        ),
    ),
    Act(
        name="balls",
        title=_("Enter a draw by hand"),
        power=powers.CONDUCT,
        run=_balls,
        form=_Balls,
        icon="edit_note",
        offered=_in(State.ANNOUNCED),
        facts=about,
        text=_("Balls drawn while the system was down; the inspector who attends confirms them."),
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


def title_of(draw: Draw) -> str:
    """Return the draw's title in the language of the page."""
    return str(draw.title[present_language()])
