"""Prepare the vouchers of an outcome for writing (15.III.6.3)."""

import datetime
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from core.kernel import codes
from core.kernel.request_uuids import derived_uuid
from promotrot.services.outcomes import Draft, Outcome
from promotrot.services.voucher_codes import code_of


@dataclass(frozen=True, slots=True)
class Issue:
    """A voucher to be written. `code` is None if it will be held for the buyer."""

    uuid: uuid.UUID
    number: int
    draft: Draft
    code: codes.Code | None

    def document(self) -> dict[str, Any]:
        """Return the voucher in the form that `promotrot_end` takes."""
        digest = None if self.code is None else settings.CODE_KEYS.digest(self.code).hex()
        return {
            "uuid": str(self.uuid),
            "number": self.number,
            "nature": self.draft.nature,
            "amount": self.draft.amount_cents,
            "prizes": self.draft.prize_documents(),
            "thing": self.draft.thing,
            "digest": digest,
        }


def issues(outcome: Outcome, ticket: uuid.UUID, day: datetime.date | None) -> tuple[Issue, ...]:
    """Return the vouchers of an outcome. `day` is the day of their codes; None if they will be
    held.

    A voucher's UUID is its reference and reveals nothing about its code.
    """
    issued = []
    for number, draft in enumerate(outcome.drafts, start=1):
        ident = derived_uuid(ticket, f"voucher/{number}")
        issued.append(Issue(ident, number, draft, None if day is None else code_of(ident, day)))
    return tuple(issued)
