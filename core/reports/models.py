"""Store saved views of lists, and the reports that people ordered by mail."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.staff.models import StaffSession, User
from core.staff.powers import Role


class SavedView(Guarded):
    """A name for what is asked of a list: its owner's own, or shared with a role of theirs.

    `table` is the label of the list's model, `query` the query of the list's address. A view gives
    no right: each person reads the list by their own.
    """

    mutable = ("removed_at",)

    table = models.CharField(_("table"), max_length=100)
    name = models.CharField(_("name"), max_length=80)
    query = models.CharField(_("asked"), max_length=1000)
    owner = foreign_key(User, _("saved by"))
    saved_in = foreign_key(StaffSession, _("session"), db_index=False)
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


class ReportOrder(Guarded):
    """A person's standing order: a report to an address, each day, week or month that has ended.

    `language` is that of the titles. The report is read as its owner, by their rights of that day.
    """

    class Every(models.TextChoices):
        DAY = "day", _("Every day")
        WEEK = "week", _("Every week, Monday to Sunday")
        MONTH = "month", _("Every month")

    class Form(models.TextChoices):
        XLSX = "xlsx", "XLSX"
        CSV = "csv", "CSV"

    mutable = ("ended_at",)

    report = models.CharField(_("report"), max_length=60)
    every = models.CharField(_("how often"), max_length=10, choices=Every.choices)
    kind = models.CharField(_("form"), max_length=10, choices=Form.choices)
    address = models.EmailField(_("address"), max_length=200)
    language = models.CharField(_("language"), max_length=2)
    owner = foreign_key(User, _("ordered by"))
    ordered_in = foreign_key(StaffSession, _("session"), db_index=False)
    ordered_at = models.DateTimeField(_("ordered at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("report by mail")
        verbose_name_plural = _("reports by mail")
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "report", "every", "kind", "address"],
                condition=Q(ended_at=None),
                name="report_order_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report} · {self.address}"


class ReportMail(Guarded):
    """A mail of a report over a period: begun once, and sent once.

    One that is `sending` though nobody sends it was cut off: it may have gone out, so it is not
    sent again. One that `failed` did not go out, and is tried again for some days.
    """

    class State(models.TextChoices):
        SENDING = "sending", _("Being sent")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Failed")
        REFUSED = "refused", _("Refused")

    mutable = ("state", "attempts", "ended_at", "fault")
    transitions = {"sending": ("sent", "failed", "refused"), "failed": ("sending",)}

    order = foreign_key(ReportOrder, _("report by mail"), related_name="mails", db_index=False)
    first_day = models.DateField(_("from"))
    last_day = models.DateField(_("to"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    attempts = models.PositiveIntegerField(_("attempts"), default=1)
    begun_at = models.DateTimeField(_("begun at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    fault = models.CharField(_("what went wrong"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("mail of a report")
        verbose_name_plural = _("mails of reports")
        constraints = [
            models.UniqueConstraint(fields=["order", "last_day"], name="report_mail_once"),
            models.CheckConstraint(
                condition=Q(state="sending", ended_at=None, fault="")
                | Q(state="sent", ended_at__isnull=False, fault="")
                | Q(state__in=("failed", "refused"), ended_at__isnull=False) & ~Q(fault=""),
                name="report_mail_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.order} · {self.last_day}"
