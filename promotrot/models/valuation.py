"""Store the valuations of the things that an emission promises (15.III.6.5) [P4, P21]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.staff.models import StaffSession, User
from promotrot.models.emission import PrizeTier


class Valuation(Guarded):
    """A valuation of the thing of a tier: its equivalent is its market price on that day.

    It belongs to the emission, not to the name of the thing. The equivalent itself is the tier's,
    and never changes; a later valuation confirms it. The newest is at most twelve months old when
    the emission opens.
    """

    tier = foreign_key(PrizeTier, _("tier"), related_name="valuations", db_index=False)
    source = models.CharField(_("source"), max_length=400)
    valued_on = models.DateField(_("valued on"))
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))

    class Meta:
        verbose_name = _("valuation of a thing")
        verbose_name_plural = _("valuations of things")
        constraints = [
            models.UniqueConstraint(fields=["tier", "valued_on"], name="valuation_day"),
            models.CheckConstraint(condition=~Q(source=""), name="valuation_has_source"),
        ]

    def __str__(self) -> str:
        return f"{self.tier} · {self.valued_on}"
