"""Store the credentials of terminals and operators: codes, tokens, sessions, and copies seen."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.staff.models import Proposal, User


class FormerToken(Guarded):
    """A token that a newer one replaced. Only a copy is used again (`premises_token_former`)."""

    terminal = models.ForeignKey(
        "premises.Terminal", models.PROTECT, related_name="+", verbose_name=_("terminal")
    )
    token_digest = models.BinaryField(max_length=32, unique=True)
    replaced_at = models.DateTimeField(_("replaced at"))

    class Meta:
        verbose_name = _("replaced token")
        verbose_name_plural = _("replaced tokens")

    def __str__(self) -> str:
        return str(self.terminal)


class TerminalCopy(Guarded):
    """A sign that somebody holds a copy of a terminal's token, or of its machine.

    It closed the terminal, except with `UNKNOWN_TOKEN`: then either the database was restored to an
    earlier time and forgot the token, or the key was copied. People find out which.
    """

    class Sign(models.TextChoices):
        REPLACED_TOKEN = "replaced_token", _("A token that had been replaced was used")
        WRONG_KEY = "wrong_key", _("The token was used with another key")
        UNKNOWN_TOKEN = "unknown_token", _("The token was not known, and the key was right")

    terminal = models.ForeignKey(
        "premises.Terminal", models.PROTECT, related_name="copies", verbose_name=_("terminal")
    )
    sign = models.CharField(_("sign"), max_length=20, choices=Sign.choices)
    seen_at = models.DateTimeField(_("seen at"))

    class Meta:
        verbose_name = _("copy of a terminal")
        verbose_name_plural = _("copies of terminals")

    def __str__(self) -> str:
        return str(self.terminal)


class Enrolment(Guarded):
    """The leave of two persons that a terminal enrols once, and the code given for it.

    Until `allowed_until` the code is asked for, and asked for again if it was lost; the terminal
    exchanges it for its token. The newest leave of a terminal is the only one.
    """

    mutable = ("code_digest", "issued_at", "issued_by", "expires_at", "used_at")

    terminal = models.ForeignKey(
        "premises.Terminal", models.PROTECT, related_name="enrolments", verbose_name=_("terminal")
    )
    proposal = foreign_key(Proposal, _("proposal"), db_index=False)
    allowed_at = models.DateTimeField(_("allowed at"))
    allowed_until = models.DateTimeField(_("allowed until"))
    code_digest = models.BinaryField(max_length=32, unique=True, null=True)
    issued_at = models.DateTimeField(_("issued at"), null=True)
    issued_by = foreign_key(User, _("issued by"), null=True)
    expires_at = models.DateTimeField(_("expires at"), null=True)
    used_at = models.DateTimeField(_("used at"), null=True)

    class Meta:
        verbose_name = _("enrolment")
        verbose_name_plural = _("enrolments")
        constraints = [
            models.UniqueConstraint(fields=["proposal", "terminal"], name="enrolment_of_proposal"),
            models.CheckConstraint(
                condition=Q(
                    code_digest=None,
                    issued_at=None,
                    issued_by=None,
                    expires_at=None,
                    used_at=None,
                )
                | Q(
                    code_digest__isnull=False,
                    issued_at__lte=F("allowed_until"),
                    issued_by__isnull=False,
                    expires_at__isnull=False,
                ),
                name="enrolment_issued_whole",
            ),
        ]

    def __str__(self) -> str:
        return str(self.terminal)


class OperatorSession(Guarded):
    """A session of an operator at one terminal of their premises.

    Neither is ever deleted: keys with a constraint would lock both with each session, and the
    database asks for them when one begins (`sql/sessions.sql`).
    """

    mutable = ("ended_at",)

    terminal = models.ForeignKey(
        "premises.Terminal",
        models.PROTECT,
        related_name="sessions",
        verbose_name=_("terminal"),
        db_constraint=False,
    )
    operator = models.ForeignKey(
        "premises.Operator",
        models.PROTECT,
        related_name="sessions",
        verbose_name=_("operator"),
        db_constraint=False,
    )
    token_digest = models.BinaryField(max_length=32, unique=True)
    started_at = models.DateTimeField(_("started at"))
    expires_at = models.DateTimeField(_("expires at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("session of an operator")
        verbose_name_plural = _("sessions of operators")

    def __str__(self) -> str:
        return f"{self.operator} · {self.terminal}"
