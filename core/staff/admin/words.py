"""Put proposals about accounts into words: whose account, and what roles it gets."""

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import NOTHING, link
from core.admin_support.contents import ProposalWords
from core.admin_support.proposal_texts import words_by_row
from core.database.reading.batches import row_by, the
from core.staff.models import Proposal, User
from core.staff.powers import Role


def _roles_text(roles: Sequence[str]) -> str:
    return ", ".join(str(Role(role).label) for role in roles) or NOTHING


def _new_person(proposal: Proposal) -> str:
    """Return the name and the user name of a new account's person; no name once it is erased."""
    name, username = proposal.shown_content["full_name"], proposal.content["username"]
    return f"{name} ({username})" if name else username


def _new_account(proposal: Proposal) -> list[tuple[Any, Any]]:
    content = proposal.shown_content
    return [
        (_("full name"), content["full_name"] or NOTHING),
        (_("user name"), content["username"]),
        (_("roles"), _roles_text(content["roles"])),
        (_("reference of appointment"), content["appointment"] or NOTHING),
    ]


def _person(proposal: Proposal) -> User:
    return the(row_by(User, "pk", proposal.content["user"]))


def _with_roles(proposal: Proposal) -> Any:
    roles = _roles_text(proposal.content["roles"])
    return format_html("{} · {}", link(_person(proposal)), roles)


def _roles(proposal: Proposal) -> list[tuple[Any, Any]]:
    """Return whose roles they are; the present ones too, until it is decided."""
    person = _person(proposal)
    now = [] if proposal.decided else [(_("Now"), _roles_text(person.roles))]
    then = (_("Afterwards"), _roles_text(proposal.content["roles"]))
    return [(_("member of staff"), link(person)), *now, then]


WORDS = {
    "staff.account": ProposalWords("name_encrypted", _new_person, _new_account),
    "staff.roles": ProposalWords("roles", _with_roles, _roles),
    "staff.reactivation": words_by_row("user"),
    "staff.password": words_by_row("user"),
    "staff.second_factor": words_by_row("user"),
}
