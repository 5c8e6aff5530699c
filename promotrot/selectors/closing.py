"""Count the figures of an emission from its tickets, plays and vouchers."""

from fractions import Fraction

from django.db.models import Sum

from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from core.kernel.days import natural_day
from core.kernel.errors import InvariantBroken
from core.kernel.regulation import shipped
from promotrot.engine.shortfall import Closing
from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.play import PlayTicket
from promotrot.selectors.games import version_game
from promotrot.selectors.left import STAYS
from promotrot.selectors.owed import owed_cents

# What left of an emission won nothing.
_FIGURES = f"""
SELECT (SELECT coalesce(sum(taken), 0) FROM promotrot_lane WHERE emission_id = %(emission)s),
       count(*) + (SELECT coalesce(sum(cardinality(l.plays)), 0) FROM promotrot_retiredplays l
                    WHERE l.emission_id = %(emission)s),
       count(*) FILTER (WHERE e.cause = 'refund'),
       count(*) FILTER (WHERE e.ticket_id IS NULL),
       coalesce(sum(e.awarded_cents), 0), coalesce(sum(e.extra_cents), 0)
  FROM promotrot_playticket t LEFT JOIN promotrot_playend e ON e.ticket_id = t.id
 WHERE t.emission_id = %(emission)s AND {STAYS}
"""
_UNCLAIMED = """
SELECT coalesce(sum(v.amount_cents), 0)
  FROM promotrot_voucher v JOIN promotrot_playticket t ON t.id = v.ticket_id
 WHERE t.emission_id = %(emission)s AND v.nature IN ('cash', 'in_kind')
   AND NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = 'promotrot' AND c.document_id = v.id)
"""


class LanesDisagree(InvariantBroken):
    """The counters of an emission's lanes were changed, or tickets were taken away or put in."""

    code = "lanes_disagree"
    message = (
        "The counters of the lanes do not say what the tickets say. The emission is not closed, and"
        " confirming its closing stops its sale."
    )


def kept_percent(emission: Emission) -> Fraction:
    """Return the percentage of the takings that an emission keeps for prizes [P18].

    It is the one that a pre-drawn type declares, and never less than the minimum of the regulation
    on the day on which the emission was planned.
    """
    figures = shipped().in_force(natural_day(emission.planned_at)).promotrot
    return version_game(emission.approval.version_id).kind.kept_percent(
        figures.minimum_prize_percent
    )


def emission_figures(emission: Emission) -> Closing:
    """Return the present figures of an emission. They are exact when its lanes are shut.

    Raises LanesDisagree.
    """
    figures = fetch_row(_FIGURES, {"emission": emission.pk})
    taken, sold, refunded, unfinished, awarded, extra = map(int, figures)
    unclaimed = fetch_value(_UNCLAIMED, {"emission": emission.pk})
    if taken != sold:
        raise LanesDisagree(emission=emission.reference, taken=taken, sold=sold)
    return Closing(
        tickets=emission.tickets,
        sold=sold,
        refunded=refunded,
        unfinished=unfinished,
        price_cents=emission.price_cents,
        awarded_cents=awarded,
        extra_awarded_cents=extra,
        unclaimed_cents=int(unclaimed),
        owed_before_cents=owed_cents(emission.game),
        minimum_percent=kept_percent(emission),
    )


_STATED = (
    "tickets",
    "sold",
    "refunded",
    "unfinished",
    "awarded_cents",
    "extra_awarded_cents",
    "unclaimed_cents",
    "owed_before_cents",
)


def stated_closing(emission: Emission) -> Closing | None:
    """Return the counts on record of an emission's closing, or None if it is not closed.

    Only this record says which plays had ended at the closing.
    """
    stated = ClosingStatement.objects.filter(emission=emission).first()
    if stated is None:
        return None
    return Closing(
        **{name: stated.document[name] for name in _STATED},
        price_cents=emission.price_cents,
        minimum_percent=kept_percent(emission),
    )


_TOPLESS = """
SELECT m.id FROM promotrot_emission m
 WHERE m.state = 'open' AND m.stop_without_top AND NOT EXISTS (
    SELECT FROM promotrot_prizetier p
     WHERE p.emission_id = m.id
       AND p.value_cents = (SELECT max(o.value_cents) FROM promotrot_prizetier o
                             WHERE o.emission_id = m.id)
       AND p.count > (SELECT count(*) FROM promotrot_playend e
                        JOIN promotrot_playticket t ON t.id = e.ticket_id
                       WHERE t.emission_id = m.id AND e.tier = p.number))
"""


def emissions_without_top() -> list[int]:
    """Return the emissions on sale that must stop because their last top prize is won."""
    return [pk for (pk,) in fetch_all(_TOPLESS)]


# A lane gives its tickets in order, so its counter is right where the last one is sold and no later
# one is.
_APART = """
SELECT FROM promotrot_lane l
 WHERE l.emission_id = %(emission)s
   AND l.first + l.taken - 1 <> coalesce((
    SELECT max(t.position) FROM promotrot_playticket t
     WHERE t.emission_id = l.emission_id AND t.opening = l.opening
       AND t.position >= l.first AND t.position < l.first + l.tickets), l.first - 1)
 LIMIT 1
"""


def lanes_apart(emission: Emission) -> tuple[int, int] | None:
    """Return how many tickets the lanes of an emission say are sold, and how many are; or None if
    the last ticket of each lane is the one that its counter says.

    The tickets are counted only where it is not. A ticket missing before the last one is found by
    the closing and by the journal.
    """
    if fetch_row(_APART, {"emission": emission.pk}) is None:
        return None
    taken = emission.lanes.aggregate(taken=Sum("taken"))["taken"] or 0
    return taken, PlayTicket.objects.filter(emission=emission).count()


def reveals_due() -> list[int]:
    """Return the emissions that are closed, or never come on sale, and whose seed is secret."""
    over = Emission.objects.filter(state__in=(Emission.State.CLOSED, Emission.State.ABANDONED))
    secret = over.filter(commitment__isnull=False, reveal__isnull=True)
    return list(secret.values_list("pk", flat=True))
