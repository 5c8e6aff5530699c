"""Put proposals about premises and their accounts into words, for the list and who decides."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.words import table
from core.admin_support.columns import NOTHING, day, link, moment, money
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, rows_of_each, the
from core.premises.models import Authorisation, Game, Premises, Resolution, Terminal
from core.receipts.document import present_language
from core.receipts.formats import format_percent
from core.staff.models import Proposal

Facts = list[tuple[Any, Any]]
_NAMED = 3  # codes that a line names; it counts the others


def and_more(names: Sequence[str], most: int = 1) -> str:
    """Return the first names with a comma between, and how many more there are."""
    first, more = ", ".join(names[:most]), len(names) - most
    if more <= 0:
        return first
    words = ngettext("%(first)s and %(n)s more", "%(first)s and %(n)s more", more)
    return words % {"first": first, "n": more}


def place_link(code: str) -> str:
    """Return a link to the premises of a code; a dash for none."""
    return link(row_by(Premises, "code", code))


def terminal_link(code: str) -> str:
    """Return a link to the terminal of a code; a dash for none."""
    return link(row_by(Terminal, "code", code))


def _instant(written: str | None) -> str:
    return moment(datetime.datetime.fromisoformat(written)) if written else NOTHING


def _named(codes: Sequence[str]) -> dict[str, str]:
    """Return premises with their code and name; those that are not on record yet only by code."""
    on_record = rows_of_each(Premises, "code", codes)
    return {code: str(rows[0]) if rows else code for code, rows in on_record.items()}


# --- What is opened, and what enrols --------------------------------------------------------------


def _places(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the premises of an opening, by code, the new ones first."""
    new = {row["code"]: f"{row['code']} {row['name']}" for row in content["premises"]}
    rows = [*content["authorisations"], *content["terminals"]]
    others = dict.fromkeys(row["premises"] for row in rows if row["premises"] not in new)
    return new | _named(list(others))


def _opened(proposal: Proposal) -> str:
    """Return where what is opened: `B-12 Bar Nou · 1 authorisation, T-1, T-2`."""
    content = proposal.content
    many, games = len(content["premises"]), len(content["authorisations"])
    new = ngettext("%(n)s premises", "%(n)s premises", many) % {"n": many}
    allowed = ngettext("%(n)s authorisation", "%(n)s authorisations", games) % {"n": games}
    terminals = and_more([row["code"] for row in content["terminals"]], _NAMED)
    parts = (new if many else "", allowed if games else "", terminals)
    places = and_more(list(_places(content).values()))
    return f"{places} · {', '.join(part for part in parts if part)}"


def _opening(proposal: Proposal) -> Facts:
    content, places = proposal.content, _places(proposal.content)
    new = [
        (
            row["code"],
            row["name"],
            Premises.Kind(row["kind"]).label,
            row["address"],
            row["municipality"],
        )
        for row in content["premises"]
    ]
    allowed = [
        (
            places[row["premises"]],
            Game(row["game"]).label,
            _instant(row["valid_from"]),
            _instant(row["valid_until"]),
            row["reference"],
        )
        for row in content["authorisations"]
    ]
    terminals = [(row["code"], places[row["premises"]]) for row in content["terminals"]]
    of_places = (_("Code"), _("Name"), _("Kind"), _("Address"), _("Municipality"))
    of_games = (_("Premises"), _("Game"), _("Valid from"), _("Valid until"), _("Reference"))
    tables = (
        (pgettext("several", "premises"), of_places, new),
        (_("authorisations"), of_games, allowed),
        (_("terminals"), (_("Code"), _("Premises")), terminals),
    )
    return [(title, table(headers, rows)) for title, headers, rows in tables if rows]


def _enrolling(proposal: Proposal) -> str:
    return and_more(proposal.content["terminals"], _NAMED)


# --- A resolution ---------------------------------------------------------------------------------


def _effect(proposal: Proposal) -> str:
    return str(Resolution.Effect(proposal.content["effect"]).label)


def _resolved_about(proposal: Proposal) -> Any:
    content = proposal.content
    if content["authorisation"]:
        held = the(row_by(Authorisation, "pk", content["authorisation"], "premises"))
        return format_html("{} · {}", link(held.premises), link(held))
    if content["terminal"]:
        return terminal_link(content["terminal"])
    return place_link(content["premises"])


def _resolved(proposal: Proposal) -> SafeString:
    return format_html("{} · {}", _effect(proposal), _resolved_about(proposal))


def _resolution(proposal: Proposal) -> Facts:
    return [
        (_("effect"), _effect(proposal)),
        (_("about"), _resolved_about(proposal)),
        (_("effective from"), _instant(proposal.content["effective_at"])),
        (_("reference"), proposal.content["reference"]),
    ]


# --- The accounts of premises ---------------------------------------------------------------------


def _rate(proposal: Proposal) -> SafeString:
    content = proposal.content
    where = place_link(content["premises"]) if content["premises"] else gettext("all premises")
    percent = format_percent(content["percent"], present_language())
    return format_html("{} · {} · {}", Game(content["game"]).label, where, percent)


def _rate_facts(proposal: Proposal) -> Facts:
    content = proposal.content
    everywhere = _("all premises")
    return [
        (_("game"), Game(content["game"]).label),
        (_("premises"), place_link(content["premises"]) if content["premises"] else everywhere),
        (_("per cent"), format_percent(content["percent"], present_language())),
        (_("in force from"), day(datetime.date.fromisoformat(content["in_force_from"]))),
        (_("reference"), content["reference"]),
    ]


def _amount_of(field: str) -> Any:
    """Return a function from a proposal to its premises with the amount of a field."""

    def about(proposal: Proposal) -> SafeString:
        content = proposal.content
        return format_html("{} · {}", place_link(content["premises"]), money(content[field]))

    return about


WORDS = {
    "premises.opening": ProposalWords("terminals", _opened, _opening),
    "premises.enrolment": ProposalWords("terminals", _enrolling),
    "premises.resolution": ProposalWords("effect", _resolved, _resolution),
    "statements.rate": ProposalWords("percent", _rate, _rate_facts),
    "statements.guarantee": ProposalWords("limit_cents", _amount_of("limit_cents")),
    "statements.remittance": ProposalWords("amount_cents", _amount_of("amount_cents")),
}
