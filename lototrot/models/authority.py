"""Store the authority's decisions: amendments of figures, and the end of the game [A19, A21]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, one_to_one
from core.staff.models import Proposal


class FiguresAmendment(Guarded):
    """Other categories, shares and threshold of the regulation's bet type, from a day on [A19].

    `bet_type` has the figures as `lototrot.engine.bet_type` writes them.
    """

    in_force_from = models.DateField(_("in force from"), unique=True)
    source = models.CharField(_("source"), max_length=200)
    bet_type = models.JSONField(_("figures"))
    entered_at = models.DateTimeField(_("entered at"))
    proposal = one_to_one(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("amendment of the figures")
        verbose_name_plural = _("amendments of the figures")
        constraints = [models.CheckConstraint(condition=~Q(source=""), name="amendment_has_source")]

    def __str__(self) -> str:
        return f"{self.in_force_from} {self.source}"


class GameEnd(Guarded):
    """The end of a bet type for good, by the authority's decision [A17, A21].

    `moves` lists where the decision sends what had accumulated: {source, day, recipient, bet_type,
    cents}, in the form of `lototrot.postings.end_lines`.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    bet_type_code = models.CharField(_("bet type"), max_length=40, unique=True)
    decision = models.CharField(_("decision of the authority"), max_length=200)
    moves = models.JSONField(_("moves"))
    cents = models.BigIntegerField(_("amount"))
    ended_at = models.DateTimeField(_("ended at"))
    proposal = one_to_one(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("end of the game")
        verbose_name_plural = _("ends of games")
        constraints = [
            models.CheckConstraint(
                condition=~Q(decision="") & Q(cents__gte=0), name="game_end_is_decided"
            )
        ]

    def __str__(self) -> str:
        return f"{self.bet_type_code}: {self.decision}"
