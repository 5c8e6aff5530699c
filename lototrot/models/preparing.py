"""Store the changes and the discards of contests that were not on sale yet [E9]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.staff.models import Proposal, StaffSession, User
from lototrot.models.contest import Contest


class ContestChange(Guarded):
    """A change of a draft's terms: those that changed, as they were and as they became [E9]."""

    contest = models.ForeignKey(
        Contest, models.PROTECT, related_name="changes", verbose_name=_("contest")
    )
    before = models.JSONField(_("terms before"))
    after = models.JSONField(_("terms after"))
    changed_at = models.DateTimeField(_("changed at"))
    changed_by = models.ForeignKey(
        User, models.PROTECT, related_name="+", verbose_name=_("changed by")
    )
    changed_in = models.ForeignKey(
        StaffSession, models.PROTECT, related_name="+", verbose_name=_("changed in session")
    )

    class Meta:
        verbose_name = _("change of the contest")
        verbose_name_plural = _("changes of the contest")

    def __str__(self) -> str:
        return str(self.contest)


class Discard(Guarded):
    """The act of two persons that discards a contest which was never on sale [E9]."""

    contest = models.OneToOneField(
        Contest, models.PROTECT, related_name="discard", verbose_name=_("contest")
    )
    reason = models.CharField(_("reason"), max_length=400)
    discarded_at = models.DateTimeField(_("discarded at"))
    proposal = models.OneToOneField(
        Proposal, models.PROTECT, related_name="+", verbose_name=_("proposal")
    )

    class Meta:
        verbose_name = _("discarded contest")
        verbose_name_plural = _("discarded contests")
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="discard_has_reason")]

    def __str__(self) -> str:
        return str(self.contest)
