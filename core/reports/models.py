"""Store the saved views of lists: a name for what a person asks of a list."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.staff.models import StaffSession, User
from core.staff.powers import Role


class SavedView(Guarded):
    """A name for what is asked of a list: its owner's own, or shared with a role of theirs.

    `table` is the label of the list's model, `query` the query of the list's address. A view gives
    no right: who opens it reads the list by their own.
    """

    mutable = ("removed_at",)

    table = models.CharField(_("table"), max_length=100)
    name = models.CharField(_("name"), max_length=80)
    query = models.CharField(_("asked"), max_length=1000)
    owner = models.ForeignKey(User, models.PROTECT, related_name="+", verbose_name=_("saved by"))
    saved_in = models.ForeignKey(
        StaffSession, models.PROTECT, db_index=False, related_name="+", verbose_name=_("session")
    )
    role = models.CharField(
        _("shared with the role"), max_length=20, choices=Role.choices, blank=True
    )
    saved_at = models.DateTimeField(_("saved at"))
    removed_at = models.DateTimeField(_("removed at"), null=True)

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        constraints = [
            models.UniqueConstraint(
                fields=["table", "owner", "name"],
                condition=Q(removed_at=None),
                name="saved_view_once",
            ),
            models.CheckConstraint(
                condition=~Q(name="") & ~Q(query=""), name="saved_view_asks_something"
            ),
        ]
        indexes = [
            models.Index(
                fields=["table", "role"], condition=Q(removed_at=None), name="saved_view_of_table"
            )
        ]

    def __str__(self) -> str:
        return self.name
