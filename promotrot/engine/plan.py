"""Plan a pre-drawn emission: which prizes each block of tickets holds (15.II.2) [P2].

Each block reaches the minimum percentage on its own, so an emission that is withdrawn half-sold
falls short by little. Together the blocks hold exactly the prize table. Blocks with the same size
and the same prizes form a class. All work is done on classes, so ten million tickets cost as little
as ten thousand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

from core.kernel.canonical import Json, canonical_sha256
from core.kernel.errors import Invalid, InvariantBroken
from core.kernel.money import ceil_div, percent_up
from promotrot.engine.prize_table import PredrawnType, Tier

MIN_BLOCK_TICKETS: Final = 10_000
MAX_BLOCK_TICKETS: Final = 2_000_000
FORMAT: Final = "promotrot-plan/1"

_MOVE_TIERS: Final = 6
_MOVE_PRIZES: Final = 40


class BlockSizeRefused(Invalid):
    """A block has fewer than 10,000 tickets and is not the complete emission, or is too large."""

    code = "block_size_refused"
    message = "The size of the blocks is not allowed."


class PlanImpossible(Invalid):
    """The prizes cannot be spread so that each block reaches the minimum. Larger blocks may do."""

    code = "plan_impossible"
    message = "These prizes cannot be spread over blocks that each reach the minimum percentage."


@dataclass(frozen=True, slots=True)
class BlockClass:
    """A number of equal `blocks`: the tickets of each, and its prizes by tier in the order of the
    table.
    """

    blocks: int
    tickets: int
    prizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The classes of an emission in canonical order. Blocks are numbered from 0 through the
    classes.
    """

    price_cents: int
    tiers: tuple[Tier, ...]
    classes: tuple[BlockClass, ...]

    @property
    def blocks(self) -> int:
        return sum(block_class.blocks for block_class in self.classes)

    @property
    def tickets(self) -> int:
        return sum(block_class.blocks * block_class.tickets for block_class in self.classes)

    def block(self, number: int) -> BlockClass:
        """Return the class of a block by its number in the plan. Raises IndexError."""
        if number < 0:
            raise IndexError(number)
        for block_class in self.classes:
            if number < block_class.blocks:
                return block_class
            number -= block_class.blocks
        raise IndexError(number)

    def document(self) -> Json:
        """Return the document that is published before the first sale. It must not change
        afterwards.
        """
        return {
            "format": FORMAT,
            "price_cents": self.price_cents,
            "tickets": self.tickets,
            "tiers": [_tier_document(tier) for tier in self.tiers],
            "classes": [
                {
                    "blocks": block_class.blocks,
                    "tickets": block_class.tickets,
                    "prizes": list(block_class.prizes),
                }
                for block_class in self.classes
            ],
        }

    def digest(self) -> bytes:
        """Return SHA-256 of the document's canonical JSON: 32 bytes."""
        return canonical_sha256(self.document())


def block_sizes(tickets: int, block_tickets: int) -> tuple[tuple[int, int], ...]:
    """Return pairs `(blocks, tickets of each)`. All blocks have one size; the last takes the
    remainder.

    Raises BlockSizeRefused.
    """
    allowed = MIN_BLOCK_TICKETS <= block_tickets <= MAX_BLOCK_TICKETS
    if not allowed and not (0 < tickets == block_tickets < MIN_BLOCK_TICKETS):
        raise BlockSizeRefused(minimum_tickets=MIN_BLOCK_TICKETS, maximum_tickets=MAX_BLOCK_TICKETS)
    if tickets < block_tickets:
        raise BlockSizeRefused("A block is larger than the emission.", tickets=tickets)
    blocks, remainder = divmod(tickets, block_tickets)
    if not remainder:
        return ((blocks, block_tickets),)
    last = (1, block_tickets + remainder)
    return (last,) if blocks == 1 else ((blocks - 1, block_tickets), last)


def make_plan(kind: PredrawnType, minimum_percent: Fraction, *, block_tickets: int) -> Plan:
    """Spread the prize table over blocks. The same arguments always give the same plan.

    Each tier is spread as evenly as possible. Where a large prize would leave other blocks short,
    smaller tiers make it up. Raises BlockSizeRefused, PlanImpossible.
    """
    return deal(kind, minimum_percent, block_sizes(kind.tickets, block_tickets))


def deal(kind: PredrawnType, minimum_percent: Fraction, sizes: Sequence[tuple[int, int]]) -> Plan:
    """Do the same as `make_plan` for given sizes, pairs of `(blocks, tickets)`."""
    worthless = any(tier.prize.value_cents < 1 or tier.count < 1 for tier in kind.tiers)
    if worthless or kind.prize_count > kind.tickets:
        raise PlanImpossible("The prize table itself does not pass its gates.")
    for evenly in (True, False):
        groups = _repaired(_dealt(kind, minimum_percent, sizes, evenly), kind.tiers)
        if all(group.short <= 0 for group in groups):
            break
    else:
        raise PlanImpossible
    ordered = sorted(groups, key=lambda group: (group.tickets, group.prizes), reverse=True)
    classes = tuple(BlockClass(group.blocks, group.tickets, group.prizes) for group in ordered)
    plan = Plan(kind.price_cents, kind.tiers, classes)
    check_plan(plan, kind, minimum_percent)
    return plan


def check_plan(plan: Plan, kind: PredrawnType, minimum_percent: Fraction) -> None:
    """Check a plan from nothing but its classes. Raises InvariantBroken."""
    dealt = tuple(
        sum(block_class.blocks * block_class.prizes[at] for block_class in plan.classes)
        for at in range(len(kind.tiers))
    )
    if dealt != tuple(tier.count for tier in kind.tiers) or plan.tickets != kind.tickets:
        raise InvariantBroken("The plan is not the prize table.")
    if any(block_class.blocks < 1 or block_class.tickets < 1 for block_class in plan.classes):
        raise InvariantBroken("A class of the plan has no blocks or no tickets.")
    for block_class in plan.classes:
        value = sum(
            count * tier.prize.value_cents
            for count, tier in zip(block_class.prizes, kind.tiers, strict=True)
            if not tier.extra
        )
        if value < percent_up(block_class.tickets * kind.price_cents, minimum_percent):
            raise InvariantBroken("A block is below the minimum percentage.")
        if min(block_class.prizes, default=0) < 0 or sum(block_class.prizes) > block_class.tickets:
            raise InvariantBroken("A block has more prizes than tickets.")


@dataclass(frozen=True, slots=True)
class _Group:
    """Blocks that are equal so far.

    `due` is the distance of each block from its share of the table; `short` is its distance from
    the minimum. Both are in cents; `due` is multiplied by the emission's tickets so that it stays
    whole.
    """

    blocks: int
    tickets: int
    prizes: tuple[int, ...]
    due: int
    short: int

    @property
    def room(self) -> int:
        return self.tickets - sum(self.prizes)

    def with_more(self, at: int, copies: int, unit: int, value: int) -> "_Group":
        prizes = (*self.prizes[:at], self.prizes[at] + copies, *self.prizes[at + 1 :])
        return replace(
            self, prizes=prizes, due=self.due - copies * unit, short=self.short - copies * value
        )

    def moved(self, move: tuple[int, ...], sign: int, net: int) -> "_Group | None":
        """Return the group after it takes (sign 1) or gives (-1) a move, or None if it cannot."""
        prizes = tuple(n + sign * m for n, m in zip(self.prizes, move, strict=True))
        if min(prizes) < 0 or sum(prizes) > self.tickets:
            return None
        return replace(self, prizes=prizes, short=self.short - sign * net)


def _dealt(
    kind: PredrawnType, minimum_percent: Fraction, sizes: Sequence[tuple[int, int]], evenly: bool
) -> list[_Group]:
    """Deal tier by tier, from the largest prize. Some blocks may end short."""
    total = kind.prizes_cents
    groups = [
        _Group(
            blocks,
            tickets,
            (0,) * len(kind.tiers),
            total * tickets,
            percent_up(tickets * kind.price_cents, minimum_percent),
        )
        for blocks, tickets in sizes
    ]
    rest = total
    for at in sorted(range(len(kind.tiers)), key=lambda at: _order(kind.tiers[at])):
        tier = kind.tiers[at]
        value = 0 if tier.extra else tier.prize.value_cents
        unit = kind.tickets * tier.prize.value_cents
        rest -= value * tier.count
        spread = _share(groups, at, tier.count, kind.tickets, unit, value, spread=True)
        if evenly and sum(group.blocks * max(0, group.short) for group in spread) <= rest:
            groups = spread
        else:
            groups = _share(groups, at, tier.count, kind.tickets, unit, value, spread=False)
    return groups


def _order(tier: Tier) -> tuple[bool, int]:
    return tier.extra, -tier.prize.value_cents


def _share(
    groups: list[_Group], at: int, count: int, tickets: int, unit: int, value: int, *, spread: bool
) -> list[_Group]:
    """Give each block its even share of a tier (if `spread`), then the rest to the blocks furthest
    from their due.
    """
    if spread:
        shares = [min(group.room, count * group.tickets // tickets) for group in groups]
        count -= sum(group.blocks * n for group, n in zip(groups, shares, strict=True))
        groups = [
            group.with_more(at, n, unit, value) for group, n in zip(groups, shares, strict=True)
        ]
    level = _level(groups, count, unit)
    takes = [_above(group, level, unit) for group in groups]
    count -= sum(group.blocks * n for group, n in zip(groups, takes, strict=True))
    groups = [group.with_more(at, n, unit, value) for group, n in zip(groups, takes, strict=True)]
    return list(_last_ones(groups, at, count, level, unit, value))


def _above(group: _Group, level: int, unit: int) -> int:
    """Return how many prizes the group takes while its due stays above a level."""
    return max(0, min(group.room, ceil_div(group.due - level, unit)))


def _level(groups: list[_Group], count: int, unit: int) -> int:
    """Return the lowest level of due at which all blocks together take at most `count` prizes."""
    low = min(group.due - group.room * unit for group in groups) - 1
    high = max(group.due for group in groups)
    while low < high:
        middle = (low + high) // 2
        if sum(group.blocks * _above(group, middle, unit) for group in groups) <= count:
            high = middle
        else:
            low = middle + 1
    return low


def _last_ones(
    groups: list[_Group], at: int, count: int, level: int, unit: int, value: int
) -> Iterator[_Group]:
    """Give the remaining prizes, in order, to blocks that are exactly at the level. Cut one group
    if needed.
    """
    for group in groups:
        take = min(count, group.blocks) if group.due == level and group.room else 0
        count -= take
        if take:
            yield replace(group.with_more(at, 1, unit, value), blocks=take)
        if take < group.blocks:
            yield replace(group, blocks=group.blocks - take)


def _repaired(groups: list[_Group], tiers: Sequence[Tier]) -> list[_Group]:
    """Exchange prizes between blocks until no block is short or no exchange helps.

    Each exchange reduces the total shortage, so the loop ends.
    """
    groups = _merged(groups)
    moves = _moves(tiers) if any(group.short > 0 for group in groups) else {}
    while (pair := _exchange(groups, moves)) is not None:
        groups = _merged(pair)
    return groups


def _exchange(groups: list[_Group], moves: dict[int, tuple[int, ...]]) -> list[_Group] | None:
    """Return the groups after the best exchange for the shortest block, or None without one."""
    short = sorted((each for each in groups if each.short > 0), key=lambda each: -each.short)
    spare = sorted((each for each in groups if each.short < 0), key=lambda each: each.short)
    for poor, rich in product(short, spare):
        usable = (net for net in moves if net <= -rich.short)
        for net in sorted(usable, key=lambda net: (abs(net - poor.short), net)):
            gives, takes = rich.moved(moves[net], -1, net), poor.moved(moves[net], 1, net)
            if gives is not None and takes is not None:
                others = [each for each in groups if each is not rich and each is not poor]
                return others + _in_pairs((rich, poor), (gives, takes))
    return None


def _in_pairs(before: tuple[_Group, _Group], after: tuple[_Group, _Group]) -> list[_Group]:
    """Return two groups of which as many blocks are exchanged as the smaller one has."""
    pairs = min(group.blocks for group in before)
    changed = [replace(group, blocks=pairs) for group in after]
    return changed + [
        replace(group, blocks=group.blocks - pairs) for group in before if group.blocks > pairs
    ]


def _moves(tiers: Sequence[Tier]) -> dict[int, tuple[int, ...]]:
    """Return, by net value in cents, the smallest set of prizes that moves this value between two
    blocks.

    A set gives a number for each tier. A negative number goes the other way.
    """
    base = sorted((tier.prize.value_cents, at) for at, tier in enumerate(tiers) if not tier.extra)[
        :_MOVE_TIERS
    ]
    window = 2 * max((value for value, _ in base), default=0)
    smallest: dict[int, tuple[int, ...]] = {0: (0,) * len(tiers)}
    frontier = [0]
    for _ in range(_MOVE_PRIZES):
        reached = []
        for net, (value, at), sign in product(frontier, base, (1, -1)):
            new = net + sign * value
            if new not in smallest and abs(new) <= window:
                move = smallest[net]
                smallest[new] = (*move[:at], move[at] + sign, *move[at + 1 :])
                reached.append(new)
        frontier = reached
    return {net: move for net, move in smallest.items() if net > 0}


def _merged(groups: list[_Group]) -> list[_Group]:
    merged: dict[_Group, int] = {}
    for group in groups:
        alike = replace(group, blocks=0, due=0)
        merged[alike] = merged.get(alike, 0) + group.blocks
    return [replace(group, blocks=blocks) for group, blocks in merged.items()]


def _tier_document(tier: Tier) -> Json:
    thing = tier.prize.in_kind
    document: dict[str, Json] = {"count": tier.count, "extra": tier.extra}
    if thing is None:
        return document | {"cash_cents": tier.prize.cash_cents}
    return document | {
        "in_kind": {
            "description": thing.description,
            "equivalent_cents": thing.equivalent_cents,
            "source": thing.source,
            "valued_on": None if thing.valued_on is None else thing.valued_on.isoformat(),
        }
    }
