"""Tell why a voucher has its amount, in the words of its game (15.III.6.2, 15.III.6.3).

Nothing is dealt or drawn again. What is on record of the play (its picture, or its acts with their
random integers) is read by the rules of the game and compared with the voucher. Acts leave with a
retired month; then the end of the play is what is told.
"""

from collections import Counter
from typing import Any

from django.utils.translation import gettext as _

from core.kernel.errors import DomainError
from core.payoffice.sources import Reasons, Won
from core.receipts.document import present_language
from core.receipts.formats import format_cents
from promotrot.engine.game import PredrawnGame, ProbabilisticGame
from promotrot.engine.plays import Play, perform, standing
from promotrot.engine.presentation import Letters, NumberMatch, Symbols
from promotrot.engine.shortfall import shares
from promotrot.models.debt import DebtDraw
from promotrot.models.emission import PrizeTier
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import EmissionFacts, emission_facts
from promotrot.selectors.plays import acts_left

Step = tuple[str, str]


def reasons(voucher_id: int) -> Reasons | None:
    """Return why a voucher has its amount, in the language in force.

    Return None if its play has no end on record.
    """
    rows = Voucher.objects.select_related("ticket__end", "debt_draw")
    return reasons_of(rows.get(pk=voucher_id))


def reasons_of(voucher: Voucher) -> Reasons | None:
    """Return the same for a voucher that was read with its ticket and the end of its play."""
    if voucher.debt_draw is not None:
        return _drawn(voucher, voucher.debt_draw)
    end: PlayEnd | None = getattr(voucher.ticket, "end", None)
    if end is None:
        return None
    if voucher.nature == Voucher.Nature.REFUND:
        return _paid_back(voucher, end)
    facts = emission_facts(voucher.emission_id)
    counts = dict(PrizeTier.objects.filter(emission=facts.pk).values_list("number", "count"))
    tier_played, steps = _tier_and_steps(facts, end)
    won = tuple(
        _won(facts, prize, counts.get(prize["tier"]), steps if prize["tier"] == end.tier else ())
        for prize in voucher.prizes
    )
    agrees = (
        tier_played == end.tier
        and sum(part.cents for part in won) == voucher.amount_cents
        and all(
            prize["cents"] == facts.tiers[prize["tier"]].value_cents
            and prize["tier"] in (end.tier, end.extra_tier)
            for prize in voucher.prizes
        )
    )
    return _reasons(won, voucher, agrees=agrees, sentences=_sentences(voucher, end))


def _reasons(
    won: tuple[Won, ...], of: Voucher, *, agrees: bool, sentences: tuple[str, ...]
) -> Reasons:
    return Reasons(
        won=won,
        sentences=sentences,
        figures=of.ticket or of,
        figures_title=_("The play with all that is on record of it"),
        heads=(_("Prizes"), _("Value")),
        agrees=agrees,
    )


def _won(
    facts: EmissionFacts, prize: dict[str, Any], count: int | None, steps: tuple[Step, ...]
) -> Won:
    """Return one prize of a voucher, with its line of the prize table."""
    language = present_language()
    tier = facts.tiers[prize["tier"]]
    title = _("Extra prize, line %(line)s") if prize["extra"] else _("Line %(line)s of the table")
    value = format_cents(tier.value_cents, language)
    if tier.thing:
        value = f"{facts.texts(language).prizes[tier.thing]} ({value})"
    line = [(_("Prize of the line"), value)]
    if count is not None:
        line.append((_("Prizes of the line in the emission"), str(count)))
    return Won(
        title=title % {"line": tier.number},
        units=_("1 prize"),
        unit_cents=tier.value_cents,
        cents=prize["cents"],
        steps=(*steps, *line),
    )


def _sentences(voucher: Voucher, end: PlayEnd) -> tuple[str, ...]:
    """Return what the reader must know in addition to the play itself."""
    parts = []
    if any(prize["extra"] for prize in voucher.prizes):
        parts.append(
            _("The extra prize lay on the ticket from the beginning, whatever was played.")
        )
    if end.cause != PlayEnd.Cause.PLAYED:
        parts.append(_("The play ended so: %(cause)s.") % {"cause": end.get_cause_display()})
    return tuple(parts)


def _tier_and_steps(facts: EmissionFacts, end: PlayEnd) -> tuple[int | None, tuple[Step, ...]]:
    """Return the tier that the record of the play shows, and the play step by step.

    The tier is None if the record shows no tier or more than one, or breaks the rules. Where the
    acts left with their month, it is the one on record, and the archive has the acts.
    """
    game = facts.game
    if isinstance(game, ProbabilisticGame) and acts_left(end.ticket_id):
        return end.tier, ((_("Acts of the player"), _("in the archive of their month")),)
    if isinstance(game, PredrawnGame):
        tier, words = _pictured(game, end, facts)
        if end.tier and tier == game.kind.shown_as(end.tier):
            tier = end.tier  # an extra prize looks like its equal in the table
        return tier, ((_("Uncovered"), words),)
    return _played(game, facts, end)


def _pictured(game: PredrawnGame, end: PlayEnd, facts: EmissionFacts) -> tuple[int | None, str]:
    """Return the tier that the picture on record shows, and the picture in words."""
    picture, rules = end.picture or {}, game.presentation
    if isinstance(rules, NumberMatch):
        common = sorted({*picture.get("winners", ())} & {*picture.get("yours", ())})
        tier = rules.matches.index(len(common)) + 1 if len(common) in rules.matches else 0
        numbers = ", ".join(map(str, common)) or "–"
        return tier, _("Numbers in common: %(numbers)s") % {"numbers": numbers}
    cells = tuple(picture.get("cells", ()))
    tiers = rules.tiers_of(cells)
    tier_shown = next(iter(tiers)) if len(tiers) == 1 else (None if tiers else 0)
    return tier_shown, _cells_in_words(rules, cells, tier_shown, facts)


def _cells_in_words(
    rules: Symbols | Letters, cells: tuple[str, ...], tier: int | None, facts: EmissionFacts
) -> str:
    if isinstance(rules, Letters):
        letters = " ".join(cells)
        return f"{rules.words[tier - 1]} ({letters})" if tier else letters
    labels = facts.texts(present_language()).labels
    return ", ".join(
        f"{many} × {labels.get(sign) or sign}" for sign, many in Counter(cells).most_common()
    )


def _played(
    game: ProbabilisticGame, facts: EmissionFacts, end: PlayEnd
) -> tuple[int | None, tuple[Step, ...]]:
    """Return the tier to which the acts on record lead, and each act with what it gave."""
    mechanic, play = game.kind.mechanic, Play()
    labels = facts.texts(present_language()).labels
    steps: list[Step] = []
    acts = end.ticket.acts.order_by("number").values_list("act", "draw")
    for act, draw in acts:
        try:
            play = perform(mechanic, play, act, draw)
        except DomainError:
            return None, tuple(steps)
        name, _dash, place = act.partition("-")
        words = labels.get(act) or f"{labels.get(name) or name} {place}".strip()
        reached = play.award if play.award is not None else standing(mechanic, play)
        steps.append((f"{len(steps) + 1}. {words}", _prize_words(facts, reached)))
    reached = play.award if play.award is not None else standing(mechanic, play)
    return reached or 0, tuple(steps)


def _prize_words(facts: EmissionFacts, tier: int | None) -> str:
    language = present_language()
    return format_cents(facts.tiers[tier].value_cents, language) if tier else _("nothing")


def _paid_back(voucher: Voucher, end: PlayEnd) -> Reasons:
    """Return why the price of a ticket is paid back: no prize stood when its play ended."""
    won = Won(
        title=_("Price of the ticket"),
        units="1",
        unit_cents=voucher.of.price_cents,
        cents=voucher.of.price_cents,
    )
    agrees = won.cents == voucher.amount_cents and not end.tier
    return _reasons((won,), voucher, agrees=agrees, sentences=_sentences(voucher, end))


def _drawn(voucher: Voucher, draw: DebtDraw) -> Reasons:
    """Return why the draw of an ended game gave a ticket its part of what the game owed [P17]."""
    language = present_language()
    steps = (
        (_("Owed by the game"), format_cents(draw.owed_cents, language)),
        (_("Tickets drawn"), str(draw.winners)),
    )
    won = Won(
        title=_("Part of one of the tickets drawn"),
        units="1",
        unit_cents=voucher.amount_cents,
        cents=voucher.amount_cents,
        steps=steps,
    )
    agrees = voucher.amount_cents in shares(draw.owed_cents, draw.winners)
    return _reasons((won,), voucher, agrees=agrees, sentences=())
