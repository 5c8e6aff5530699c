"""Put proposals on a race into words: its horses by name, and the winner large.

The second person compares this with what the stewards announced, so that a number typed wrong is
seen as another horse's name (14.III.5.3).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.words import Facts
from core.admin_support.columns import NOTHING, link, moment
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, the
from core.staff.models import Proposal
from lototrot.admin.paddock.horses import horse, horse_table, horses, named, runners_of
from lototrot.admin.words import OUTCOMES, race_text
from lototrot.models.programme import Meeting, Race, Runner
from lototrot.models.running import Classification, RaceDeclaration

_WINNER = "winner"
Entries = Sequence[Mapping[str, Any]]


def _race(proposal: Proposal) -> Race:
    return the(row_by(Race, "pk", proposal.content["race"], "meeting", "racecourse"))


def _at(written: str | None, otherwise: Any) -> Any:
    return moment(datetime.fromisoformat(written)) if written else otherwise


# --- A classification -----------------------------------------------------------------------------


def _winners(entries: Entries) -> list[int]:
    return sorted(entry["number"] for entry in entries if entry["outcome"] == _WINNER)


def _result(proposal: Proposal) -> str:
    """Return the race with its winner: `Race 3 · Son Pardo · 10/04/2027: 7 Ouragan`."""
    content = proposal.content
    runners = runners_of(content["race"])
    won = " = ".join(named(number, runners) for number in _winners(content["runners"]))
    return f"{race_text(_race(proposal))}: {won or gettext('no winner')}"


def _classified(proposal: Proposal) -> Facts:
    content, runners = proposal.content, runners_of(proposal.content["race"])
    race, entries = _race(proposal), content["runners"]
    won = horses(_winners(entries), runners) or gettext("no winner")
    before = _before(content, runners)
    facts: Facts = [
        (_("race"), link(race, race_text(race))),
        (_("winner"), format_html('<div class="house-winner">{}</div>', won)),
        *before,
        (_("runners"), runners_table(entries, runners)),
        (_("Announced text"), content["announced_text"]),
        (_("Stewards"), content["author"]),
        (_("Announced at"), _at(content["announced_at"], NOTHING)),
    ]
    if "reason" in content:
        facts.append((_("reason"), content["reason"]))
    return facts


def _before(content: Mapping[str, Any], runners: Mapping[int, Runner]) -> Facts:
    """Return what a correction finds on record: its winner, and what is otherwise of each horse."""
    if "corrects" not in content:
        return []
    corrected = Classification.objects.get(pk=content["corrects"])
    was = {entry["number"]: entry for entry in corrected.runners}
    rows = [
        (
            horse(entry["number"], runners),
            _outcome(was.get(entry["number"], {})),
            _outcome(entry),
        )
        for entry in content["runners"]
        if _outcome(was.get(entry["number"], {})) != _outcome(entry)
    ]
    headers = (_("horse"), _("until now"), _("as corrected"))
    return [
        (_("winner on record"), horses(_winners(corrected.runners), runners) or NOTHING),
        (_("what is otherwise"), horse_table(headers, rows) if rows else NOTHING),
    ]


def _outcome(entry: Mapping[str, Any]) -> str:
    """Return the outcome, place and ruling of a horse in a line."""
    place = entry.get("place")
    parts = (
        str(OUTCOMES.get(entry.get("outcome", ""), "")),
        gettext("place %(place)s") % {"place": place} if place else "",
        entry.get("ruling") or "",
    )
    return " · ".join(part for part in parts if part) or NOTHING


def runners_table(entries: Entries, runners: Mapping[int, Runner]) -> SafeString:
    """Return the runners: the placed first in the order of the places, then by number."""
    ordered = sorted(entries, key=lambda e: (not e["place"], e["place"] or 0, e["number"]))
    rows = [
        (
            horse(entry["number"], runners),
            entry["place"] or NOTHING,
            OUTCOMES.get(entry["outcome"], entry["outcome"]),
            entry["ruling"] or NOTHING,
        )
        for entry in ordered
    ]
    return horse_table((_("horse"), pgettext("rank", "place"), _("outcome"), _("ruling")), rows)


# --- A withdrawal, a start ------------------------------------------------------------------------


def _horse_of(proposal: Proposal) -> str:
    content = proposal.content
    runner = named(content["number"], runners_of(content["race"]))
    return f"{runner} · {race_text(_race(proposal))}"


def _withdrawn(proposal: Proposal) -> Facts:
    content, race = proposal.content, _race(proposal)
    out = horse(content["number"], runners_of(race.pk))
    facts: Facts = [
        (_("race"), link(race, race_text(race))),
        (_("horse"), format_html('<div class="house-winner">{}</div>', out)),
    ]
    if "source" in content:
        facts.append((_("source"), content["source"]))
        when = _at(content.get("effective_at"), moment(proposal.proposed_at))
        facts.append((_("withdrawn at"), when))
    if "reason" in content:
        facts.append((_("reason"), content["reason"]))
    return facts


# --- A race or a meeting without a classification -------------------------------------------------


def _where(proposal: Proposal) -> Any:
    """Return a link to the race that is declared, or to the meeting of all that are ahead."""
    if proposal.content["race"] is None:
        return link(row_by(Meeting, "pk", proposal.content["meeting"]))
    race = _race(proposal)
    return link(race, race_text(race))


def _kind_of(proposal: Proposal) -> str:
    return str(RaceDeclaration.Kind(proposal.content["kind"]).label)


def _declaration(proposal: Proposal) -> SafeString:
    return format_html("{} · {}", _where(proposal), _kind_of(proposal))


def _declared(proposal: Proposal) -> Facts:
    content = proposal.content
    runners = runners_of(content["race"]) if content["left"] else {}
    left = [(horse(each["number"], runners), each["ruling"] or NOTHING) for each in content["left"]]
    table = horse_table((_("horse"), _("ruling")), left) if left else NOTHING
    return [
        (_("race") if content["race"] else _("meeting"), _where(proposal)),
        (_("kind"), _kind_of(proposal)),
        (_("reason"), content["reason"]),
        (_("Text of the decision"), content["text"] or NOTHING),
        (_("Decided by"), RaceDeclaration.Author(content["author"]).label),
        (_("declared at"), _at(content["declared_at"], moment(proposal.proposed_at))),
        (_("Left at the start"), table),
        (_("Place"), content["draw_place"] or NOTHING),
    ]


CLASSIFICATION = ProposalWords("runners", _result, _classified)
WITHDRAWAL = ProposalWords("number", _horse_of, _withdrawn)
DECLARATION = ProposalWords("kind", _declaration, _declared)
