"""Show emissions from the plan to the revealed seed. No page shows anything by block."""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation
from core.admin_support.acts import PROPOSED, Act, Done, Facts
from core.admin_support.columns import NOTHING, day, link, money, tag, whole
from core.admin_support.contents import Table
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm, DayField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.draws.method import LEAST_DICE, MOST_PIECES, Source
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.admin.words import RESTORED, emission_text, texts_of, thing_text, tier_text
from promotrot.models.emission import (
    ClosingStatement,
    Commitment,
    Emission,
    Lane,
    Opening,
    PrizeTier,
    PublicFigures,
    SaleStop,
    SeedReveal,
    WitnessEntropy,
)
from promotrot.models.valuation import Valuation
from promotrot.selectors.emissions import restored_since
from promotrot.selectors.public import sold_now
from promotrot.selectors.things import Shortage, shortages_of, valuations_of
from promotrot.services import closing, emissions, valuing

Data = dict[str, Any]
State = Emission.State
_SHOWN = 12
SOURCES = {
    Source.DICE: _("Dice"),
    Source.BALLS: _("Balls"),
    Source.PHRASE: _("A phrase from the public"),
}


class _Entropy(ActForm):
    source = forms.ChoiceField(
        label=_("Source"), choices=[(source.value, text) for source, text in SOURCES.items()]
    )
    text = forms.CharField(label=_("Entropy"), max_length=400)


class _Valuation(ActForm):
    tier = forms.TypedChoiceField(label=_("Tier"), coerce=int)
    source = forms.CharField(label=_("Source"), max_length=400)
    valued_on = DayField(label=_("Valued on"))

    def build(self) -> None:
        in_kind = self.target.tiers.exclude(thing="")
        tiers = cast(forms.TypedChoiceField, self.fields["tier"])
        tiers.choices = [(tier.number, tier_text(tier)) for tier in in_kind]


class _Means(ActForm):
    source = forms.ChoiceField(
        label=_("Source"), choices=[(source.value, text) for source, text in SOURCES.items()]
    )
    pieces = forms.IntegerField(
        label=_("How many dice or balls"),
        min_value=1,
        max_value=MOST_PIECES,
        required=False,
        initial=LEAST_DICE,
        help_text=_("Ten dice or six balls, at least. None for a phrase."),
    )


def _commit(by: StaffActor, emission: Emission, data: Data) -> Done:
    emissions.emission_commit(by=by, emission=emission, **data)
    return Done(_("The commitment is published."))


def _witness(by: StaffActor, emission: Emission, data: Data) -> Done:
    emissions.witness_enter(by=by, emission=emission, **data)
    return Done(_("The entropy is mixed in and published."))


def _value(by: StaffActor, emission: Emission, data: Data) -> Done:
    valuing.valuation_record(by=by, emission=emission, **data)
    return Done(_("The valuation is on record."), emission)


def _things(emission: Emission) -> Facts:
    """Return the day of each valuation, and of which things there are too few."""

    def short(each: Shortage) -> str:
        return f"{thing_text(emission.pk, each.thing)}: {gettext('stock is short')}"

    return [
        *(
            (thing_text(emission.pk, each.thing), day(each.valued_on))
            for each in valuations_of(emission)
        ),
        *((short(each), f"{each.in_stock} / {each.needed}") for each in shortages_of(emission)),
    ]


def _before_sale(emission: Emission) -> Facts:
    """Return what to look at before the emission is put on sale."""
    return [*((RESTORED, reason) for reason in restored_since(emission)), *_things(emission)]


def _open(by: StaffActor, emission: Emission, data: Data) -> Done:
    return Done(PROPOSED, emissions.emission_open_propose(by=by, emission=emission))


def _close(by: StaffActor, emission: Emission, data: Data) -> Done:
    return Done(PROPOSED, closing.emission_close_propose(by=by, emission=emission))


def _sold(emission: Emission) -> Facts:
    sold = sold_now(emission)
    return (
        (_("sold"), whole(sold)),
        (_("unsold"), whole(emission.tickets - sold)),
        (_("takings"), money(sold * emission.price_cents)),
    )


def _is(*states: str, dealt: bool | None = None) -> Any:
    def offered(by: StaffActor, emission: Emission) -> bool:
        return emission.state in states and dealt in (None, emission.dealt)

    return offered


COMMIT = Act(
    name="commit",
    title=_("Publish the commitment"),
    power=powers.COMMIT_EMISSION,
    run=_commit,
    form=_Means,
    icon="lock",
    offered=_is(State.DRAFT, dealt=True),
    text=_("The seed is made now, and nothing of the plan changes any more (15.II.2)."),
)
WITNESS = Act(
    name="witness",
    title=_("Enter public entropy"),
    power=powers.WITNESS_EMISSION,
    run=_witness,
    form=_Entropy,
    icon="casino",
    offered=_is(State.COMMITTED),
    text=_("The inspector adds what nobody could foresee, once and for ever."),
)
OPEN = Act(
    name="open",
    title=_("Put on sale"),
    power=powers.OPEN_EMISSION,
    run=_open,
    icon="play_circle",
    facts=_before_sale,
    offered=lambda by, e: e.state == (State.MIXED if e.dealt else State.DRAFT),
)
VALUE = Act(
    name="value",
    title=_("Value a thing again"),
    power=powers.PLAN_EMISSION,
    run=_value,
    form=_Valuation,
    icon="price_check",
    facts=_things,
    text=_("A valuation is at most twelve months old when the emission opens (15.III.6.5)."),
    offered=lambda by, e: e.state in Emission.WAITING and e.tiers.exclude(thing="").exists(),
)
CLOSE = Act(
    name="close",
    title=_("Propose the closing"),
    power=powers.CLOSE_EMISSION,
    run=_close,
    icon="stop_circle",
    offered=_is(State.OPEN, State.STOPPED),
    facts=_sold,
    danger=True,
    text=_("The sale ends for good, and what is short of the minimum is owed to prizes."),
)


class _Tiers(ReadOnlyInline):
    model = PrizeTier
    shown = ("number", "value_cents", "in_kind", "count", "on_top")

    @admin.display(description=_("prize in kind"))
    def in_kind(self, row: PrizeTier) -> str:
        return thing_text(row.emission_id, row.thing) if row.thing else NOTHING

    @admin.display(description=_("extra"), boolean=True)
    def on_top(self, row: PrizeTier) -> bool:
        return row.extra


class _WithSource(ReadOnlyInline):
    """Rows that say of which kind the entropy is: dice, balls or a phrase."""

    @admin.display(description=_("source"))
    def in_words(self, row: Any) -> Any:
        return SOURCES[Source(row.source)]


class _Commitment(_WithSource):
    model = Commitment
    shown = ("digest", "in_words", "pieces", "committed_at", "committed_by")


class _Witness(_WithSource):
    model = WitnessEntropy
    shown = ("in_words", "entropy", "entered_at", "entered_by")


class _Opening(ReadOnlyInline):
    model = Opening
    shown = ("opened_at", "proposal")


class _Stop(ReadOnlyInline):
    model = SaleStop
    shown = ("stopped_at",)


class _Closing(ReadOnlyInline):
    model = ClosingStatement
    shown = ("closed_at", "document", "shortfall_cents", "owed_cents", "proposal")


class _Reveal(ReadOnlyInline):
    model = SeedReveal
    shown = ("seed", "revealed_at")


@admin.register(Emission)
class EmissionAdmin(ReadOnlyAdmin):
    quick = ("reference__iexact",)
    read_power = powers.READ_EMISSIONS
    columns = ("reference", "state", "game_name", "tickets", "price_cents", "planned_at")
    shown = (
        "reference",
        "game",
        "approval",
        "state",
        "tickets",
        "block_tickets",
        "price_cents",
        "extra_cents",
        "stop_without_top",
        "sold",
        "takings_account",
        "vouchers_account",
        "plan_shown",
        "planned_at",
        "planned_by",
    )
    list_filter = ("state", "game")
    search_fields = ("reference",)
    inlines = (_Tiers, _Commitment, _Witness, _Opening, _Stop, _Closing, _Reveal)
    acts = (COMMIT, WITNESS, VALUE, OPEN, CLOSE)
    told = ("game",)
    list_select_related = ("game",)
    told_as = staticmethod(emission_text)

    @admin.display(description=_("game"), ordering="game")
    def game_name(self, row: Emission) -> str:
        return link(row.game, texts_of(row.pk).name)

    @admin.display(description=_("sold"))
    def sold(self, row: Emission) -> str:
        return whole(sold_now(row))

    @admin.display(description=_("plan"))
    def plan_shown(self, row: Emission) -> Any:
        """Show the plan as it is published, with its prizes in kind by their names."""
        if row.plan is None:
            return NOTHING
        return as_html({**row.plan, "tiers": [_in_words(row, tier) for tier in row.plan["tiers"]]})


def _in_words(emission: Emission, tier: Data) -> Data:
    if "in_kind" not in tier:
        return tier
    thing = tier["in_kind"]
    name = thing_text(emission.pk, thing["description"])
    return {**tier, "in_kind": {**thing, "description": name}}


def emissions_panel(request: HttpRequest) -> Table:
    """Return the emissions that wait for an act or are on sale."""
    over = (*Emission.OVER, State.ABANDONED)
    rows = Emission.objects.exclude(state__in=over).order_by("-pk")
    return Table(
        title=_("Emissions"),
        icon="style",
        headers=(_("emission"), _("state"), _("sold"), _("tickets"), _("price")),
        rows=[
            (
                link(row),
                tag(row.state, row.get_state_display()),
                whole(sold_now(row)),
                whole(row.tickets),
                money(row.price_cents),
            )
            for row in rows[:_SHOWN]
        ],
        empty=_("No emission is planned or on sale."),
        link=navigation.list_link(request, Emission),
    )


@admin.register(ClosingStatement)
class ClosingStatementAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("emission", "sequence", "shortfall_cents", "owed_cents", "closed_at")


@admin.register(Lane)
class LaneAdmin(ReadOnlyAdmin):
    """The lanes from which sales take their tickets. The number of a block in the plan is not
    shown.
    """

    read_power = powers.READ_POSITIONS
    columns = ("emission", "opening", "first", "tickets", "taken", "open")
    list_filter = ("emission",)


@admin.register(PublicFigures)
class PublicFiguresAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("emission", "sold", "awarded", "taken_at")
    list_filter = ("emission",)


@admin.register(Valuation)
class ValuationAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("of", "source", "valued_on", "recorded_at", "recorded_by")
    shown = columns
    told = ("tier",)
    list_select_related = ("tier__emission", "recorded_by")

    @admin.display(description=_("tier"))
    def of(self, row: Valuation) -> str:
        return f"{emission_text(row.tier.emission)} · {tier_text(row.tier)}"

    def told_as(self, row: Valuation) -> str:
        return f"{self.of(row)} · {day(row.valued_on)}"
