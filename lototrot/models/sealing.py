"""Store the seals over all tickets of a contest, and the published amendments of a seal."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.proofs.models import LogEntry
from core.staff.models import Proposal
from lototrot.models.contest import Contest


class Seal(Guarded):
    """The published root over the tickets of a closed contest (rulebook 1.5, docs/proofs/seals.md).

    `block_roots` holds 32 bytes for every `core.proofs.merkle.BLOCK` tickets, in the order of their
    ids. `block_first_ids` holds the first id of each block. Both are needed to prove one ticket.
    """

    contest = one_to_one(Contest, _("contest"), related_name="seal")
    tickets = models.BigIntegerField(_("tickets"))
    bets = models.BigIntegerField(_("bets"))
    takings_cents = models.BigIntegerField(_("takings"))
    root = models.BinaryField(max_length=32)
    block_roots = models.BinaryField()
    block_first_ids = ArrayField(
        models.BigIntegerField(), verbose_name=_("first ticket of each block")
    )
    entry = one_to_one(LogEntry, _("entry of the public log"))
    sealed_at = models.DateTimeField(_("sealed at"))

    class Meta:
        verbose_name = _("seal")
        verbose_name_plural = _("seals")
        constraints = [
            models.CheckConstraint(
                condition=Q(tickets__gte=0, bets__gte=0, takings_cents__gte=0), name="seal_counts"
            )
        ]

    def __str__(self) -> str:
        return str(self.contest)


class Amendment(Guarded):
    """A published list of sealed tickets that two persons voided as bets in breach [C6, E3]."""

    seal = foreign_key(Seal, _("seal"), related_name="amendments", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    proposal = one_to_one(Proposal, _("proposal"))
    entry = one_to_one(LogEntry, _("entry of the public log"))

    class Meta:
        verbose_name = _("amendment of a seal")
        verbose_name_plural = _("amendments of a seal")
        constraints = [models.UniqueConstraint(fields=["seal", "number"], name="amendment_number")]

    def __str__(self) -> str:
        return f"{self.seal} · {self.number}"
