"""Read the premises chosen for one proposal, and name those that it cannot be about.

A proposal about many premises keeps the state that each was in when it was proposed. At the
confirmation the state is read again, and premises that changed since are refused.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, Invalid
from core.premises.models import Premises
from core.staff.models import Proposal

MOST = 200
"""Premises of one proposal: as many as a second person can read."""
UNKNOWN = "premises_unknown"
State = Callable[[Sequence[Premises]], Mapping[int, Any]]


class SelectionEmpty(Invalid):
    code = "selection_empty"
    message = "Choose premises, at most 200 at once."


class SelectionRefused(Conflict):
    """`data["premises"]` names each with its reason."""

    code = "selection_refused"
    message = "This cannot be proposed for any of these premises."


class PremisesChanged(Conflict):
    """`data["premises"]` names each that changed since it was proposed."""

    code = "premises_changed"
    message = (
        "These premises changed since it was proposed, and nothing was done. Reject the proposal,"
        " and propose it again."
    )


@dataclass(frozen=True, slots=True)
class Refused:
    """Premises that a proposal leaves out: a stable code, and a sentence in English."""

    premises: str
    name: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A proposal about premises, and those that it leaves out."""

    proposal: Proposal
    refused: Sequence[Refused]


@dataclass(frozen=True, slots=True)
class Plan:
    """The premises that a proposal would be about, with how they stand now, and those left out."""

    premises: dict[str, Premises] = field(default_factory=dict)
    standing: dict[str, Any] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)

    def rows(self) -> list[dict[str, Any]]:
        """Return the premises as the content of a proposal."""
        return [
            {"premises": code, "name": place.name, "standing": self.standing[code]}
            for code, place in self.premises.items()
        ]

    def need_some(self) -> None:
        """Raise SelectionRefused if no premises are left."""
        if not self.premises:
            rows = [
                {"premises": row.premises, "name": row.name, "detail": row.detail}
                for row in self.refused
            ]
            raise SelectionRefused(premises=rows)


def plan_of(
    codes: Iterable[str], *, state: State, unfit: Callable[[Any], tuple[str, str] | None]
) -> Plan:
    """Return the plan for premises, by their codes, in order and each once.

    `state` returns how premises stand by their key, as JSON; `unfit` the code and the sentence that
    refuse premises that stand so, or None. Raises SelectionEmpty for none or more than 200.
    """
    distinct = list(dict.fromkeys(codes))
    if not 0 < len(distinct) <= MOST:
        raise SelectionEmpty(most=MOST)
    places = {place.code: place for place in Premises.objects.filter(code__in=distinct)}
    standing = state(list(places.values()))
    plan = Plan()
    for code in distinct:
        place = places.get(code)
        if place is None:
            plan.refused.append(Refused(code, "", UNKNOWN, "There are no such premises."))
        elif refusal := unfit(standing[place.pk]):
            plan.refused.append(Refused(code, place.name, *refusal))
        else:
            plan.premises[code], plan.standing[code] = place, standing[place.pk]
    return plan


def need_unchanged(rows: Sequence[Mapping[str, Any]], *, state: State) -> list[Premises]:
    """Return the premises of a proposal, in its order, if each stands as it did then.

    Raises PremisesChanged, which names those that do not. The caller holds what keeps them so.
    """
    codes = [row["premises"] for row in rows]
    places = {place.code: place for place in Premises.objects.filter(code__in=codes)}
    standing = state(list(places.values()))
    changed = [
        {"premises": row["premises"], "name": row["name"]}
        for row in rows
        if row["premises"] not in places or standing[places[row["premises"]].pk] != row["standing"]
    ]
    if changed:
        raise PremisesChanged(premises=changed)
    return [places[code] for code in codes]


def subject_of(act: str, content: dict[str, Any]) -> str:
    """Return the subject of a proposal: the act, its first premises, and a digest of the rest."""
    first = content["premises"][0]["premises"]
    return f"{act}:{first}:{canonical_sha256(content).hex()[:8]}"
