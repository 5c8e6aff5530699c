"""Hold the dated figures of the regulation, and decide who pays a prize and in which form.

The figures are data (`regulation.json`, each version with the day it came into force and its
source); this module reads, checks and applies them. A later figure of an operator, such as another
cash ceiling [C3], is an amendment: the changed keys, a day and a source.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, time
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from core.kernel.bet_type_figures import BetTypeFigures, bet_type_figures
from core.kernel.documents import Table, versions
from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS


class RegulationRefused(Invalid):
    """The figures are incomplete, malformed or contradictory. `data["place"]` names the JSON
    path.
    """

    code = "regulation_refused"
    message = "The figures of the regulation are not valid."


class AmountNotPayable(Invalid):
    """The prize is zero or negative, so there is nothing to pay."""

    code = "amount_not_payable"
    message = "A prize to be paid is at least one cent."


class Place(StrEnum):
    """A kind of place where a prize may be paid (14.III.10.2), in the order of the text."""

    ESTABLISHMENT = "establishment"
    CENTRAL_OFFICE = "central_office"
    AUTHORISED_ENTITY = "authorised_entity"


class Bearer(StrEnum):
    """A kind of document that is presented for payment."""

    TICKET = "ticket"
    VOUCHER = "voucher"


class Means(StrEnum):
    """A means of payment (14.III.10.6) [C3] [P10]."""

    CASH = "cash"
    NOMINATIVE_CHEQUE = "nominative_cheque"


class Duty(StrEnum):
    """The duty of a place to pay the bearer."""

    MUST = "must"
    MAY = "may"
    MUST_NOT = "must_not"


@dataclass(frozen=True, slots=True)
class GameFigures:
    """The figures that the regulation fixes for one game.

    `claim_days` are natural days: the last claim day is the day counted from plus these.
    """

    minimum_prize_percent: Fraction
    minimum_price_cents: int
    maximum_price_cents: int
    claim_days: int

    def price_in_range(self, price_cents: int) -> bool:
        """Return whether the price is within the limits, both inclusive (14.III.2, 15.III.4)."""
        return self.minimum_price_cents <= price_cents <= self.maximum_price_cents


@dataclass(frozen=True, slots=True)
class MeetingFigures:
    """The hours of a meeting whose programme states none [B15].

    It ends at `ends_next_day_at` of the next morning. A race may have started `early_start_s`
    before the first scheduled start, but no earlier.
    """

    ends_next_day_at: time
    early_start_s: int


@dataclass(frozen=True, slots=True)
class LototrotFigures(GameFigures):
    """The figures that the regulation fixes for Lototrot."""

    meeting: MeetingFigures
    bet_type: BetTypeFigures


@dataclass(frozen=True, slots=True)
class Payers:
    """The places that must and may pay one kind of document. `issuer_must` adds its issuer [P7]."""

    must: tuple[Place, ...]
    may: tuple[Place, ...]
    issuer_must: bool


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier of payment (14.III.10.2), with inclusive limits; the last has no upper one.

    Neighbours may share amounts: 120.00 is in the first two tiers of the text [C4].
    """

    from_cents: int
    up_to_cents: int | None
    named: tuple[Place, ...]
    ticket: Payers
    voucher: Payers

    def of(self, bearer: Bearer) -> Payers:
        """Return the places that pay that kind of document."""
        return self.ticket if bearer is Bearer.TICKET else self.voucher

    def has(self, amount_cents: int) -> bool:
        """Return whether an amount is in the tier."""
        return amount_cents >= self.from_cents and (
            self.up_to_cents is None or amount_cents <= self.up_to_cents
        )


@dataclass(frozen=True, slots=True)
class PaymentFigures:
    """The tiers of payment and the cash limit (14.III.10.2, 14.III.10.6); both limits are
    inclusive.
    """

    cash_up_to_cents: int
    tiers: tuple[Tier, ...]

    def __hash__(self) -> int:
        """Return a hash that leaves the tiers out, because the rule of each amount is looked up by
        it.
        """
        return hash((self.cash_up_to_cents, len(self.tiers)))


@dataclass(frozen=True, slots=True)
class Regulation:
    """All figures in force from one day on.

    `draw_within_s` is the time limit of 14.III.5.4.2. A public draw is announced at least
    `draw_notice_s` ahead [B16]. For `print_again_s` after closing a terminal may ask again for a
    ticket that was not printed [E11]. For `second_person_after_s` after an account was given
    anything, its person is no second person.
    """

    in_force_from: date
    source: str
    lototrot: LototrotFigures
    promotrot: GameFigures
    draw_within_s: int
    draw_notice_s: int
    print_again_s: int
    second_person_after_s: int
    payment: PaymentFigures


@dataclass(frozen=True, slots=True)
class PaymentRule:
    """The rule by which one amount is paid: the tier (from 1), the places and the means.

    `tier` is the first that the amount is in. `named` are the places that the text names for its
    tiers; `must` and `may` of `payers` follow the readings C4 and P7.
    """

    tier: int
    named: tuple[Place, ...]
    payers: Payers
    means: Means

    @property
    def allowed(self) -> tuple[Place, ...]:
        """Return the places that must or may pay, in the order of the text."""
        return tuple(p for p in Place if p in self.payers.must or p in self.payers.may)

    def duty(self, place: Place, *, is_issuer: bool) -> Duty:
        """Return the duty of a place; `is_issuer` tells that it issued the document."""
        if place in self.payers.must or (is_issuer and self.payers.issuer_must):
            return Duty.MUST
        return Duty.MAY if place in self.payers.may else Duty.MUST_NOT


def payment_rule(amount_cents: int, figures: PaymentFigures, bearer: Bearer) -> PaymentRule:
    """Return the rule for paying the full amount of a ticket or voucher [C1-C4, P7, P8, P10].

    Raises AmountNotPayable.
    """
    if amount_cents <= 0:
        raise AmountNotPayable
    numbers = tuple(n for n, tier in enumerate(figures.tiers) if tier.has(amount_cents))
    return _rule(figures, numbers, bearer, in_cash=amount_cents <= figures.cash_up_to_cents)


@lru_cache(maxsize=256)
def _rule(
    figures: PaymentFigures, numbers: tuple[int, ...], bearer: Bearer, *, in_cash: bool
) -> PaymentRule:
    """Return the rule of every amount that is in the tiers with these indices. There are few such
    rules.
    """
    tiers = [figures.tiers[number] for number in numbers]
    return PaymentRule(
        tier=numbers[0] + 1,
        named=_in_order({place for tier in tiers for place in tier.named}),
        payers=_joined([tier.of(bearer) for tier in tiers]),
        means=Means.CASH if in_cash else Means.NOMINATIVE_CHEQUE,
    )


def _joined(payers: list[Payers]) -> Payers:
    """Return the places that pay an amount of several tiers: each place of one tier must [C4]."""
    must = {place for of_tier in payers for place in of_tier.must}
    may = {place for of_tier in payers for place in of_tier.may} - must
    return Payers(_in_order(must), _in_order(may), any(of_tier.issuer_must for of_tier in payers))


def _in_order(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the places in the order of the text."""
    return tuple(place for place in Place if place in places)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The versions of the regulation, oldest first. Each is in force from its day on."""

    versions: tuple[Regulation, ...]
    documents: tuple[Mapping[str, Any], ...]

    def in_force(self, day: date) -> Regulation:
        """Return the figures of a day. A day before the first version gets the first: no game is
        older.
        """
        begun = [version for version in self.versions if version.in_force_from <= day]
        return begun[-1] if begun else self.versions[0]

    def amended(self, changes: Mapping[str, Any]) -> "Schedule":
        """Return a schedule with one more version: `changes` over the figures of the newest.

        `changes` has `in_force_from` and `source`, and the keys that change, nested as in the data
        file; a list replaces a list, and shares replace shares. Raises RegulationRefused if the day
        is not later than the newest version's, and for malformed figures.
        """
        if (
            Table(changes, "$", RegulationRefused).day("in_force_from")
            <= self.versions[-1].in_force_from
        ):
            raise RegulationRefused(
                "An amendment must be later than the newest version.", place="$.in_force_from"
            )
        newest = {**self.documents[-1], "source": None}
        return schedule_from([*self.documents, _merged(newest, changes, "$")])


def schedule_from(documents: list[Any]) -> Schedule:
    """Read complete versions, in any order. Raises RegulationRefused."""
    if not documents:
        raise RegulationRefused("There is no version.", place="$")
    versions = [
        (_regulation(Table(document, "$", RegulationRefused)), document) for document in documents
    ]
    versions.sort(key=lambda version: version[0].in_force_from)
    return Schedule(
        tuple(regulation for regulation, _ in versions), tuple(source for _, source in versions)
    )


@cache
def shipped() -> Schedule:
    """Return the schedule in the data file that comes with the code."""
    text = resources.files("core.kernel").joinpath("regulation.json").read_text("utf-8")
    return schedule_from(versions(text, RegulationRefused))


_REPLACED = ("shares_below", "shares_above")


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any], place: str) -> dict[str, Any]:
    result = dict(base)
    for key, value in changes.items():
        if key not in base:
            raise RegulationRefused(f"{place}.{key}: no such figure", place=f"{place}.{key}")
        both = isinstance(base[key], Mapping) and isinstance(value, Mapping)
        nested = both and key not in _REPLACED
        result[key] = _merged(base[key], value, f"{place}.{key}") if nested else value
    return result


def _regulation(table: Table) -> Regulation:
    source = table.text("source")
    if not source.strip():
        raise table.wrong("source", "the source must be named")
    regulation = Regulation(
        in_force_from=table.day("in_force_from"),
        source=source,
        lototrot=table.table("lototrot", _lototrot),
        promotrot=table.table("promotrot", _game),
        draw_within_s=table.whole("draw_within_s", MAX_CENTS, 1),
        draw_notice_s=table.whole("draw_notice_s", MAX_CENTS, 1),
        print_again_s=table.whole("print_again_s", MAX_CENTS),
        second_person_after_s=table.whole("second_person_after_s", MAX_CENTS, 1),
        payment=table.table("payment", _payment),
    )
    table.finish()
    return regulation


def _game(table: Table) -> GameFigures:
    figures = GameFigures(
        minimum_prize_percent=table.percent("minimum_prize_percent"),
        minimum_price_cents=table.whole("minimum_price_cents", MAX_CENTS, 1),
        maximum_price_cents=table.whole("maximum_price_cents", MAX_CENTS, 1),
        claim_days=table.whole("claim_days", MAX_CENTS, 1),
    )
    if figures.minimum_price_cents > figures.maximum_price_cents:
        raise table.wrong("minimum_price_cents", "the lowest price is above the highest")
    return figures


def _lototrot(table: Table) -> LototrotFigures:
    return LototrotFigures(
        **asdict(_game(table)),
        meeting=table.table("meeting", _meeting),
        bet_type=table.table("bet_type", bet_type_figures),
    )


def _meeting(table: Table) -> MeetingFigures:
    return MeetingFigures(
        ends_next_day_at=table.hour("ends_next_day_at"),
        early_start_s=table.whole("early_start_s", MAX_CENTS),
    )


def _payment(table: Table) -> PaymentFigures:
    tiers = table.tables("tiers", _tier)
    bounded = [tier.up_to_cents for tier in tiers[:-1] if tier.up_to_cents is not None]
    ascending = bounded == sorted(set(bounded))
    if tiers[-1].up_to_cents is not None or len(bounded) != len(tiers) - 1 or not ascending:
        raise table.wrong("tiers", "limits must rise, and only the last has none")
    begins = [tier.from_cents for tier in tiers]
    gaps = any(begin > end + 1 for begin, end in zip(begins, [0, *bounded], strict=True))
    if gaps or begins != sorted(set(begins)):
        raise table.wrong("tiers", "they rise from one cent and leave no amount out")
    return PaymentFigures(table.whole("cash_up_to_cents", MAX_CENTS, 1), tiers)


def _tier(table: Table) -> Tier:
    limited = table.get("up_to_cents") is not None
    return Tier(
        from_cents=table.whole("from_cents", MAX_CENTS, 1),
        up_to_cents=table.whole("up_to_cents", MAX_CENTS, 1) if limited else None,
        named=_places(table, "named"),
        ticket=table.table("ticket", _payers),
        voucher=table.table("voucher", _payers),
    )


def _payers(table: Table) -> Payers:
    issuer_must = table.get("issuer_must")
    if not isinstance(issuer_must, bool):
        raise table.wrong("issuer_must", "true or false")
    must, may = _places(table, "must"), _places(table, "may")
    if set(must) & set(may):
        raise table.wrong("may", "a place both must and may")
    return Payers(must, may, issuer_must)


def _places(table: Table, key: str) -> tuple[Place, ...]:
    names = table.get(key)
    by_name = {str(place): place for place in Place}
    if not isinstance(names, list) or any(
        not isinstance(name, str) or name not in by_name for name in names
    ):
        raise table.wrong(key, f"places are {[*by_name]}")
    return tuple(by_name[name] for name in names)
