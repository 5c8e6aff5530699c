"""Put a bet type into words: for its page, for the deciding person, and beside the form."""

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.words import (
    Cells,
    Facts,
    changed,
    percent,
    rules_texts,
    table,
    version_name,
)
from core.admin_support.columns import NOTHING, day, money
from core.admin_support.contents import ProposalWords, Text
from core.reports import charts, tables
from core.staff.models import Proposal
from lototrot.engine.bet_type import BetType, Shares
from lototrot.engine.trial import Tried
from lototrot.models.contest import BetType as Recorded
from lototrot.services.authority import amendments

_ANY_PERCENT = Fraction(0)


def rules_in(document: Mapping[str, Any]) -> BetType:
    """Return the engine's rules of a document that was checked when it was recorded or proposed."""
    return BetType.from_document(document, minimum_prize_percent=_ANY_PERCENT)


def right(hits: int) -> str:
    """Return the name of a category."""
    return gettext("%(hits)s right") % {"hits": hits}


# --- A bet type, and the version before it --------------------------------------------------------


def facts(content: Mapping[str, Any], before: Recorded | None = None) -> Facts:
    """Return a bet type as names and values, with the values that another version has otherwise.

    `content` has `document`, `price_cents`, `rules` and `authorisation`.
    """
    rules = rules_in(content["document"])
    old = rules_in(before.document) if before else rules
    old_price = before.price_cents if before else content["price_cents"]
    named = version_name(before.version) if before else ""

    def line(title: Text, now: str, was: str) -> tuple[Text, Any]:
        return title, changed(now, was, named)

    rows = [
        line(_("name"), rules.name, old.name),
        (_("code"), rules.code),
        (_("version"), _version(rules, before)),
        line(_("races"), str(rules.legs), str(old.legs)),
        line(_("price of a bet"), money(content["price_cents"]), money(old_price)),
        line(_("percentage to prizes"), percent(rules.prize_percent), percent(old.prize_percent)),
        line(
            _("threshold of the jackpot"),
            money(rules.jackpot_threshold_cents),
            money(old.jackpot_threshold_cents),
        ),
        line(
            _("prizes are multiples of"),
            money(rules.payout_step_cents),
            money(old.payout_step_cents),
        ),
        (_("shares of the prize money"), _shares(rules, old, named)),
        (_("authorisation"), content["authorisation"]),
    ]
    return [*rows, *rules_texts(content["rules"], before.rules if before else None)]


def _version(rules: BetType, before: Recorded | None) -> str:
    if before is None:
        return str(rules.version)
    text = gettext("%(version)s; compared with version %(before)s")
    return text % {"version": rules.version, "before": before.version}


def _shares(rules: BetType, old: BetType, before: str) -> SafeString:
    hits = sorted({*rules.categories, *old.categories}, reverse=True)
    rows = [
        (
            right(category),
            *(
                changed(_share(new, category), _share(was, category), before)
                for new, was in ((rules.below, old.below), (rules.above, old.above))
            ),
        )
        for category in hits
    ]
    reserve = (
        changed(percent(new.reserve), percent(was.reserve), before)
        for new, was in ((rules.below, old.below), (rules.above, old.above))
    )
    headers = (_("category"), _("up to the threshold"), _("above it"))
    return table(headers, [*rows, (_("reserve"), *reserve)])


def _share(shares: Shares, category: int) -> str:
    return percent(shares.categories[category]) if category in shares.categories else NOTHING


# --- A proposal -----------------------------------------------------------------------------------


def version_before(document: Mapping[str, Any]) -> Recorded | None:
    """Return the newest version on record that is older than this one, if there is one."""
    earlier = Recorded.objects.filter(code=document["code"], version__lt=document["version"])
    newest: Recorded | None = earlier.order_by("-version").first()
    return newest


def _proposed(proposal: Proposal) -> Facts:
    return facts(proposal.content, version_before(proposal.content["document"]))


def _subject(proposal: Proposal) -> str:
    rules = rules_in(proposal.content["document"])
    text = gettext("%(name)s, version %(version)s, %(legs)s races")
    return text % {"name": rules.name, "version": rules.version, "legs": rules.legs}


def _corrected_at(proposal: Proposal) -> str:
    address = reverse("admin:lototrot_bettype_changelist")
    return f"{address}prepare/?{urlencode({'draft': str(proposal.uuid)})}"


def _amended(proposal: Proposal) -> Facts:
    """Return an amendment as names and values, with the figures in force that it changes."""
    content = proposal.content
    rules = amendments.rules_of(content["bet_type"])
    old, now = amendments.rules_in_force(), gettext("in force now")
    return [
        (_("in force from"), day(date.fromisoformat(content["in_force_from"]))),
        (_("source"), content["source"]),
        (_("races"), changed(str(rules.legs), str(old.legs), now)),
        (
            _("threshold of the jackpot"),
            changed(money(rules.jackpot_threshold_cents), money(old.jackpot_threshold_cents), now),
        ),
        (_("shares of the prize money"), _shares(rules, old, now)),
    ]


def _amendment(proposal: Proposal) -> str:
    starts = day(date.fromisoformat(proposal.content["in_force_from"]))
    return gettext("Figures in force from %(day)s") % {"day": starts}


AMENDMENT_WORDS = ProposalWords("bet_type", _amendment, _amended)
WORDS = ProposalWords("document", _subject, _proposed, _corrected_at)


# --- Beside the form ------------------------------------------------------------------------------


def sums(rules: BetType) -> SafeString:
    """Return the shares of prize money and of takings, computed, with what remains as reserve."""
    headers = (
        _("category"),
        _("up to the threshold"),
        _("of the takings"),
        _("above it"),
        _("of the takings"),
    )
    parts = (rules.below, rules.above)

    def row(title: Any, exact: Sequence[Fraction]) -> Cells:
        of_takings = [share * rules.prize_percent / 100 for share in exact]
        pairs = zip(exact, of_takings, strict=True)
        return (title, *(percent(figure) for pair in pairs for figure in pair))

    rows = [
        row(right(category), [part.categories[category] for part in parts])
        for category in rules.categories
    ]
    reserve = row(_("reserve"), [part.reserve for part in parts])
    total = row(_("sum"), [Fraction(100)] * 2)
    return table(headers, [*rows, reserve], total)


def of_a_bet(rules: BetType, price_cents: int) -> str:
    """Return the division of the price of a bet, as a sentence."""
    return gettext(
        "Of a bet of %(price)s: %(prizes)s %% to prizes, %(rest)s %% to the organiser."
    ) % {
        "price": money(price_cents),
        "prizes": percent(rules.prize_percent)[:-2],
        "rest": percent(100 - rules.prize_percent)[:-2],
    }


def past_table(rounds: Sequence[Tried]) -> SafeString:
    """Return what each round would have paid, with the jackpot that it would have left."""
    categories = rounds[0].paid.winners
    headers = (
        _("round"),
        _("bets"),
        _("takings"),
        *(right(category) for category in categories),
        _("paid to players"),
        _("jackpot for the next one"),
        _("reserve"),
    )
    return table(headers, [_past(tried) for tried in rounds])


def _past(tried: Tried) -> Cells:
    paid = tried.paid
    mark = format_html(" <small>({})</small>", _("estimate")) if tried.estimated else ""
    prizes = (
        f"{count} × {money(paid.prize_each[category])}" if count else NOTHING
        for category, count in paid.winners.items()
    )
    return (
        format_html("{} · {}{}", day(tried.past.day), tried.past.name, mark),
        tried.past.bets,
        money(paid.takings),
        *prizes,
        money(paid.prizes_total),
        money(paid.jackpot_out),
        money(paid.reserve_out),
    )


_CENTS = tables.Kind.CENTS
_CHART = tables.Report(
    name="trial",
    title=_("First prize and jackpot, round by round"),
    about="",
    columns=(
        tables.Column("day", _("day")),
        tables.Column("prize", _("first prize"), _CENTS),
        tables.Column("jackpot", _("jackpot for the next one"), _CENTS),
    ),
    order=0,
    picture=tables.Picture("day", ("prize", "jackpot")),
)


def past_chart(rounds: Sequence[Tried]) -> SafeString:
    """Return a chart of the first category's prize and the jackpot, round by round."""
    rows: list[tables.Row] = []
    for tried in rounds:
        paid = tried.paid
        top = next(iter(paid.winners))
        rows.append((day(tried.past.day), paid.prize_each.get(top, 0), paid.jackpot_out))
    period = tables.Period(rounds[0].past.day, rounds[-1].past.day)
    return charts.svg(tables.Table(_CHART, period, rows, ()), width=charts.BESIDE_A_FORM)
