"""Run the acts of the race day: withdrawals, starts, declarations and classifications
(14.III.5).
"""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.columns import moment, tag
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff import two_persons
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin import race_records, stopping
from lototrot.admin.paddock.horses import runners_of
from lototrot.admin.paddock.running_words import runners_table
from lototrot.admin.race_records import record_of
from lototrot.admin.running_forms import (
    ClassifyForm,
    CorrectForm,
    DeclareForm,
    DeclareMeetingForm,
    ReasonForm,
    StartCorrectionForm,
    StartForm,
    WithdrawForm,
)
from lototrot.models.programme import Meeting, Race
from lototrot.models.running import (
    Classification,
    RaceDeclaration,
    RaceStart,
    Withdrawal,
)
from lototrot.selectors.races import RaceState
from lototrot.services.races import (
    classification,
    declarations,
    starts,
    withdrawals,
)
from lototrot.services.settlement.classification_correction import (
    CORRECTION,
    classification_correct,
)
from lototrot.services.settlement.start_correction import start_correct

Data = dict[str, Any]
STATES = {
    RaceState.SCHEDULED: _("To be run"),
    RaceState.STARTED: _("Started"),
    RaceState.DECLARED: _("Declared, to be drawn"),
    RaceState.DRAWN: _("Drawn"),
    RaceState.CLASSIFIED: _("Classified"),
}


# --- Acts -----------------------------------------------------------------------------------------


def _only(data: Data, *names: str) -> Data:
    """Return the named fields only: the service does not take the fields of the grid."""
    return {name: data[name] for name in names}


def _withdraw(by: StaffActor, race: Race, data: Data) -> Done:
    withdrawal = withdrawals.withdrawal_enter(by=by, race_id=race.pk, **data)
    return Done(_("The number is off sale at once; a second person confirms it."), withdrawal)


def _reverse(by: StaffActor, row: Withdrawal, data: Data) -> Done:
    proposal = withdrawals.withdrawal_reverse(by=by, withdrawal_id=row.pk, reason=data["reason"])
    return Done(PROPOSED, proposal)


def _start(by: StaffActor, race: Race, data: Data) -> Done:
    proposal = starts.start_report(by=by, race_id=race.pk, **data)
    return Done(_("Sales are stopped; a second person confirms the start."), proposal)


def _start_correct(by: StaffActor, race: Race, data: Data) -> Done:
    return Done(PROPOSED, start_correct(by=by, race_id=race.pk, **data))


def _declare(by: StaffActor, race: Race, data: Data) -> Done:
    fields = _only(data, "kind", "reason", "text", "author", "declared_at", "left")
    proposal = declarations.race_declare(by=by, race_id=race.pk, **fields)
    return Done(PROPOSED, proposal)


def _declare_meeting(by: StaffActor, meeting: Meeting, data: Data) -> Done:
    proposal = declarations.meeting_declare(by=by, meeting=meeting, **data)
    return Done(_("Sales are stopped; a second person confirms the declaration."), proposal)


def _retract(by: StaffActor, race: Race, data: Data) -> Done:
    proposal = declarations.declaration_retract(by=by, race_id=race.pk, reason=data["reason"])
    return Done(PROPOSED, proposal)


def _classify(by: StaffActor, race: Race, data: Data) -> Done:
    fields = _only(data, "runners", "announced_text", "announced_at", "author")
    return Done(PROPOSED, classification.classification_propose(by=by, race_id=race.pk, **fields))


def _correct(by: StaffActor, race: Race, data: Data) -> Done:
    fields = _only(data, "runners", "reason")
    return Done(PROPOSED, classification_correct(by=by, race_id=race.pk, **fields))


def _announced(race: Race) -> list[tuple[Any, Any]]:
    """Return the announced text, against which a classification is corrected [B18]."""
    row = Classification.objects.filter(race=race, in_force=True).first()
    if row is None:
        return []
    return [
        (_("Announced text"), row.announced_text),
        (_("Stewards"), row.author),
        (_("Announced at"), moment(row.announced_at)),
    ]


def _in(*states: RaceState) -> Any:
    return lambda by, race: record_of(race.pk).state in states


def _unproposed(kind: two_persons.Kind, *states: RaceState) -> Any:
    """Return whether a race is in one of the states, and the act does not wait for a decision."""
    return lambda by, race: (
        record_of(race.pk).state in states and not race_records.is_proposed(kind, race.pk)
    )


def _is_ahead(meeting: Meeting) -> bool:
    """Return whether a race of the meeting has not started yet."""
    records = race_records.records_of(list(meeting.races.values_list("pk", flat=True)))
    return any(record.state is RaceState.SCHEDULED for record in records.values())


WITHDRAW = Act(
    name="withdraw",
    title=_("Withdraw a horse"),
    power=powers.WITHDRAW,
    run=_withdraw,
    form=WithdrawForm,
    icon="remove_circle",
    offered=lambda by, race: (
        _in(RaceState.SCHEDULED, RaceState.STARTED, RaceState.CLASSIFIED)(by, race)
        and not race_records.is_ordered(race.pk)
    ),
    text=_("Terminals refuse the number at once."),
)
REVERSE = Act(
    name="reverse",
    title=_("Reverse the withdrawal"),
    power=powers.WITHDRAW,
    run=_reverse,
    form=ReasonForm,
    icon="undo",
    offered=lambda by, row: (
        row.confirmed_at is not None
        and row.reversed_at is None
        and withdrawals.is_reversible(record_of(row.race_id), row)
    ),
)
START = Act(
    name="start",
    title=_("Report the start"),
    power=powers.RECORD_START,
    run=_start,
    form=StartForm,
    icon="flag",
    offered=_unproposed(starts.START, RaceState.SCHEDULED, RaceState.DECLARED),
    text=_("Sales stop at once. Confirmed by a second person, the contests close (14.III.4)."),
)
START_CORRECT = Act(
    name="start_correct",
    title=_("Correct the start"),
    power=powers.RECORD_START,
    run=_start_correct,
    form=StartCorrectionForm,
    icon="edit_calendar",
    offered=lambda by, race: record_of(race.pk).start is not None,
)
DECLARE = Act(
    name="declare",
    title=_("Declare without classification"),
    power=powers.DECLARE_RACE,
    run=_declare,
    form=DeclareForm,
    icon="thunderstorm",
    danger=True,
    offered=_in(RaceState.SCHEDULED, RaceState.STARTED),
    text=_(
        "The race was not run, or was run without a classification. A second person confirms it, "
        "and its result is drawn (5.4)."
    ),
)
DECLARE_MEETING = Act(
    name="declare",
    title=_("Declare the meeting not run"),
    power=powers.DECLARE_RACE,
    run=_declare_meeting,
    form=DeclareMeetingForm,
    icon="thunderstorm",
    danger=True,
    text=_("Sales stop at once. Confirmed by a second person, every race ahead is not run."),
    offered=lambda by, meeting: hasattr(meeting, "approval") and _is_ahead(meeting),
)
RETRACT = Act(
    name="retract",
    title=_("Retract the declaration"),
    power=powers.DECLARE_RACE,
    run=_retract,
    form=ReasonForm,
    icon="undo",
    offered=_in(RaceState.DECLARED),
)
CLASSIFY = Act(
    name="classify",
    title=_("Enter the classification"),
    power=powers.CLASSIFY,
    run=_classify,
    form=ClassifyForm,
    icon="emoji_events",
    offered=_unproposed(classification.CLASSIFICATION, RaceState.STARTED),
    due=True,
    text=_("Enter what the stewards announced. It cannot be changed afterwards (14.III.5.3)."),
)
CORRECT = Act(
    name="correct",
    title=_("Correct the classification"),
    power=powers.CLASSIFY,
    run=_correct,
    form=CorrectForm,
    icon="edit_note",
    offered=lambda by, race: (
        _unproposed(CORRECTION, RaceState.CLASSIFIED)(by, race)
        and not race_records.is_ordered(race.pk)
    ),
    facts=_announced,
    text=_(
        "Correct only a keying error against the announced text, before the payment order. The"
        " inspector or the auditor confirms it."
    ),
)
RACE_ACTS = (
    WITHDRAW,
    stopping.ANNOUNCE_START,
    stopping.STOP,
    START,
    START_CORRECT,
    DECLARE,
    RETRACT,
    CLASSIFY,
    CORRECT,
)


# --- Pages ----------------------------------------------------------------------------------------


@admin.register(Withdrawal)
class WithdrawalAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("number", "race", "effective_at", "entered_by", "state")
    list_select_related = ("race__racecourse", "entered_by")
    shown = (
        "race",
        "number",
        "state",
        "effective_at",
        "source",
        "entered_at",
        "entered_by",
        "entered_in",
        "proposal",
        "confirmed_at",
        "reversed_at",
        "reversed_reason",
        "reversal",
    )
    search_fields = ("race__name", "race__meeting__reference")
    acts = (REVERSE,)

    @admin.display(description=_("state"))
    def state(self, row: Withdrawal) -> Any:
        if row.reversed_at:
            return tag("rejected", _("Reversed"))
        return tag("confirmed", _("Confirmed")) if row.confirmed_at else tag("", _("Unconfirmed"))


@admin.register(RaceStart)
class RaceStartAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("id", "race", "actual_start_at", "source", "recorded_by")
    list_select_related = ("race__racecourse", "recorded_by")
    search_fields = ("race__name", "race__meeting__reference")


@admin.register(RaceDeclaration)
class RaceDeclarationAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("id", "race", "kind", "declared_at", "recorded_by", "superseded_at")
    list_select_related = ("race__racecourse", "recorded_by")
    list_filter = ("kind",)
    search_fields = ("race__name", "race__meeting__reference")


@admin.register(Classification)
class ClassificationAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("id", "race", "winners", "announced_at", "author", "in_force")
    list_select_related = ("race__racecourse",)
    shown = (
        "race",
        "in_force",
        "runners_shown",
        "announced_text",
        "announced_at",
        "author",
        "proposal",
        "confirmed_at",
        "corrects",
    )
    list_filter = ("in_force",)
    search_fields = ("race__name", "race__meeting__reference")

    @admin.display(description=_("winners"))
    def winners(self, row: Classification) -> str:
        return ", ".join(str(r["number"]) for r in row.runners if r["outcome"] == "winner")

    @admin.display(description=_("runners"))
    def runners_shown(self, row: Classification) -> Any:
        return runners_table(row.runners, runners_of(row.race_id))
