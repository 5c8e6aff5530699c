"""Prepare contests on a meeting, and change or discard those that were never on sale [E9]."""

import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.columns import moment
from core.admin_support.forms import ActForm, EurosField, Grid, MomentField, euros_text
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.engine.bet_type import MAX_LEGS
from lototrot.models.contest import BetType, Contest, TicketModel
from lototrot.models.programme import Meeting, Race
from lototrot.services.contest import preparing

Data = dict[str, Any]
_AS_RUN = ("scheduled_start_at", "pk")


class _NewContest(ActForm):
    """The terms of a contest. The target is its meeting."""

    bet_type = forms.ModelChoiceField(label=_("Bet type"), queryset=BetType.objects.all())
    ticket_model = forms.ModelChoiceField(
        label=_("Ticket model"), queryset=TicketModel.objects.all(), required=False
    )
    price_cents = EurosField(label=_("Price of a bet (€)"))
    max_bets = forms.IntegerField(label=_("Most bets on a ticket"), min_value=1, initial=10_000)
    premises_cap_cents = EurosField(
        label=_("Most that one premises sell"), required=False, help_text=_("None: no such cap.")
    )
    scheduled_close_at = MomentField(label=_("Scheduled closing"))
    correction_window_s = forms.IntegerField(
        label=_("Correction window (s)"), min_value=0, initial=0
    )
    correction_approval = forms.CharField(
        label=_("Approval of the window"), max_length=120, required=False
    )

    def meeting(self) -> Meeting:
        return self.target  # type: ignore[no-any-return]

    def build(self) -> None:
        races = list(self.meeting().races.select_related("racecourse").order_by(*_AS_RUN))
        choices = [("", "–"), *[(race.pk, _race_choice(race)) for race in races]]
        names = []
        for position in range(1, min(MAX_LEGS, len(races)) + 1):
            names.append(f"leg_{position}")
            self.fields[names[-1]] = forms.TypedChoiceField(
                label=gettext("Race"),
                choices=choices,
                coerce=int,
                empty_value=None,
                required=False,
            )
        rows = [(str(position), [name]) for position, name in enumerate(names, start=1)]
        self.grids = [Grid((_("position"), _("race")), rows)]
        self.initial["ticket_model"] = TicketModel.objects.order_by("pk").last()
        self._begin_as_last_time(races)

    def _begin_as_last_time(self, races: list[Race]) -> None:
        """Fill the form in like the newest contest of a bet type that this meeting lacks.

        The terms are the same, the races have the same places in the programme, and the closing is
        as long before the first race.
        """
        here = self.meeting().contests.exclude(state=Contest.State.DISCARDED)
        others = Contest.objects.exclude(state=Contest.State.DISCARDED).exclude(
            bet_type_code__in=here.values("bet_type_code")
        )
        last = others.exclude(meeting=self.meeting()).order_by("-day", "-pk").first()
        types = BetType.objects.filter(code=last.bet_type_code) if last else BetType.objects.all()
        bet_type = types.order_by("pk").last()
        self.initial["bet_type"] = bet_type
        places = list(range(bet_type.document["legs"] if bet_type else len(races)))
        ahead = datetime.timedelta(0)
        if last is not None:
            terms = preparing.terms_of(last)
            then = list(last.meeting.races.order_by(*_AS_RUN))
            places = [then.index(race) for race in terms.races]
            ahead = terms.races[0].scheduled_start_at - terms.scheduled_close_at
            self.initial["max_bets"] = terms.max_bets
            self.initial["premises_cap_cents"] = euros_text(terms.premises_cap_cents)
        price = last.price_cents if last else bet_type and bet_type.price_cents
        self.initial["price_cents"] = euros_text(price or None)
        chosen = [races[place] for place in places[:MAX_LEGS] if place < len(races)]
        for position in range(1, min(MAX_LEGS, len(races)) + 1):
            race = chosen[position - 1].pk if position <= len(chosen) else ""
            self.initial[f"leg_{position}"] = race
        if chosen:
            self.initial["scheduled_close_at"] = chosen[0].scheduled_start_at - ahead

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        chosen = [data.pop(name) for name in self.grids[0].names if name in data]
        race_ids = [pk for pk in chosen if pk is not None]
        if chosen[: len(race_ids)] != race_ids:
            raise forms.ValidationError(
                gettext("Fill the positions in order, beginning with the first.")
            )
        races = {race.pk: race for race in self.meeting().races.all()}
        data["races"] = [races[pk] for pk in race_ids]
        return data

    def summary(self) -> list[tuple[Any, str]]:
        outside = [(field.label, self._reading(field.name)) for field in self.loose()]
        legs = enumerate(self.cleaned_data["races"], start=1)
        return [*outside, *[(str(position), str(race)) for position, race in legs]]


def _race_choice(race: Race) -> str:
    return f"{race} · {race.racecourse} · {moment(race.scheduled_start_at)}"


def _create(by: StaffActor, meeting: Meeting, data: Data) -> Done:
    return Done(
        _("The contest is prepared."), preparing.contest_create(by=by, meeting=meeting, **data)
    )


CONTEST = Act(
    name="contest",
    title=_("Prepare a contest"),
    power=powers.PREPARE_CONTEST,
    run=_create,
    form=_NewContest,
    icon="add_circle",
    text=_("Filled in as the last contest of the bet type; look at every line."),
)


class _Terms(_NewContest):
    """The terms of a draft, as they are now. The target is the contest."""

    def meeting(self) -> Meeting:
        return self.target.meeting  # type: ignore[no-any-return]

    def build(self) -> None:
        super().build()
        terms = preparing.terms_of(self.target)
        for name in ("bet_type", "ticket_model", "scheduled_close_at", *_FIGURES):
            self.initial[name] = getattr(terms, name)
        for name in ("price_cents", "premises_cap_cents"):
            self.initial[name] = euros_text(getattr(terms, name))
        for position in range(1, MAX_LEGS + 1):
            chosen = terms.races[position - 1].pk if position <= len(terms.races) else ""
            self.initial[f"leg_{position}"] = chosen


_FIGURES = ("max_bets", "correction_window_s", "correction_approval")


class _Reason(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=400)


def _change(by: StaffActor, contest: Contest, data: Data) -> Done:
    preparing.contest_change(by=by, contest_id=contest.pk, **data)
    return Done(_("The contest is changed."))


def _discard(by: StaffActor, contest: Contest, data: Data) -> Done:
    preparing.contest_discard(by=by, contest_id=contest.pk, reason=data["reason"])
    return Done(PROPOSED)


def _is_draft(by: StaffActor, contest: Contest) -> bool:
    return bool(contest.state == Contest.State.DRAFT)


CHANGE = Act(
    name="terms",
    title=_("Change the contest"),
    power=powers.PREPARE_CONTEST,
    run=_change,
    form=_Terms,
    icon="edit",
    text=_("Possible until it is on sale. What it was before stays on record."),
    offered=_is_draft,
)
DISCARD = Act(
    name="discard",
    title=_("Discard the contest"),
    power=powers.PREPARE_CONTEST,
    run=_discard,
    form=_Reason,
    icon="delete",
    danger=True,
    text=_("It stays on record, but takes no day and holds up no other meeting."),
    offered=_is_draft,
)
