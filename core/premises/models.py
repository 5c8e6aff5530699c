"""Store premises, their authorisations, terminals, operators, and suspensions of sales.

What terminals and operators are known by is in `credentials`.
"""

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.db import models
from django.db.models import F, Func, Q, Value
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.database.models import Guarded, foreign_key, one_to_one
from core.premises.credentials import Enrolment as Enrolment
from core.premises.credentials import FormerToken as FormerToken
from core.premises.credentials import OperatorSession as OperatorSession
from core.premises.credentials import TerminalCopy as TerminalCopy
from core.staff.models import Proposal, StaffSession, User
from core.staff.names import Named, name_constraints


class Game(models.TextChoices):
    """A game that premises can be authorised for. The catalogue of games numbers them 14 and 15."""

    LOTOTROT = "lototrot", "Lototrot"
    PROMOTROT = "promotrot", "Promotrot"


class Premises(Guarded):
    """A place of one of the four kinds of the regulation (14.I.1, 14.I.3, 14.III.10.2).

    Two persons open it, by a proposal that may carry many.
    """

    mutable = ("name", "address")

    class Kind(models.TextChoices):
        ESTABLISHMENT = "establishment", _("Establishment")
        RACECOURSE_POINT = "racecourse_point", _("Sales point at a racecourse")
        CENTRAL_OFFICE = "central_office", _("Central Prize Payment Office")
        ENTITY_OFFICE = "entity_office", _("Office of an authorised entity")

    code = models.CharField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    address = models.CharField(_("address"), max_length=200)
    municipality = models.CharField(_("municipality"), max_length=80)
    created_at = models.DateTimeField(_("registered at"))
    proposal = foreign_key(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("premises")
        verbose_name_plural = pgettext_lazy("several", "premises")

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def _no_overlap(game: Game) -> ExclusionConstraint:
    """Return a constraint: authorisations of one premises for one game do not overlap.

    The id is compared as a range, because plain GiST cannot compare integers for equality and the
    embedded server has no extension for it.
    """
    one_premises = Func(F("premises_id"), F("premises_id"), Value("[]"), function="int8range")
    period = Func(
        F("valid_from"), F("valid_until"), function="tstzrange", output_field=DateTimeRangeField()
    )
    return ExclusionConstraint(
        name=f"authorisation_{game.value}_alone",
        expressions=[(one_premises, RangeOperators.OVERLAPS), (period, RangeOperators.OVERLAPS)],
        condition=Q(game=game.value),
    )


class Authorisation(Guarded):
    """The permission of a premises to take part in a game for a period (14.I.6), by two persons."""

    mutable = ("valid_until",)

    premises = foreign_key(Premises, _("premises"), related_name="authorisations")
    game = models.CharField(_("game"), max_length=20, choices=Game.choices)
    valid_from = models.DateTimeField(_("valid from"))
    valid_until = models.DateTimeField(_("valid until"), null=True, blank=True)
    reference = models.CharField(_("reference"), max_length=120)
    recorded_at = models.DateTimeField(_("recorded at"))
    proposal = foreign_key(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("authorisation")
        verbose_name_plural = _("authorisations")
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until=None) | Q(valid_until__gte=F("valid_from")),
                name="authorisation_in_order",
            ),
            models.CheckConstraint(condition=~Q(reference=""), name="authorisation_has_reference"),
            *[_no_overlap(game) for game in Game],
        ]

    def __str__(self) -> str:
        return f"{self.get_game_display()} {self.reference}"


class Terminal(Guarded):
    """A machine of a premises, opened by two persons. The digest of its token identifies it from
    its enrolment on.

    After a roll the new digest waits in `next_token_digest`, and the present token stays valid. The
    first use of the new token replaces the present one (`premises_identify`). `public_key` (P-256,
    SubjectPublicKeyInfo in DER) belongs to the key that the machine made when it enrolled. The
    machine signs with that key when it gets a token (`core.premises.proving`), each time with a
    larger `proof_number`. The journal leaves that number out, as it leaves out wrong PINs, so that
    nobody can fill a disk with them. At `copied_at` somebody used a copy of its token. From then on
    the terminal does nothing until it is enrolled again.
    """

    mutable = (
        "token_digest",
        "token_expires_at",
        "next_token_digest",
        "next_token_expires_at",
        "public_key",
        "proof_number",
        "copied_at",
        "enrolled_at",
        "revoked_at",
    )
    derived = ("proof_number",)

    code = models.CharField(_("code"), max_length=20, unique=True)
    premises = foreign_key(Premises, _("premises"), related_name="terminals")
    token_digest = models.BinaryField(max_length=32, unique=True, null=True)
    token_expires_at = models.DateTimeField(_("token expires at"), null=True)
    next_token_digest = models.BinaryField(max_length=32, unique=True, null=True)
    next_token_expires_at = models.DateTimeField(_("next token expires at"), null=True)
    public_key = models.BinaryField(max_length=91, null=True)
    proof_number = models.BigIntegerField(_("number of the last proof"), default=0)
    copied_at = models.DateTimeField(_("copy of the token seen at"), null=True)
    enrolled_at = models.DateTimeField(_("enrolled at"), null=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True)
    created_at = models.DateTimeField(_("registered at"))
    proposal = foreign_key(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("terminal")
        verbose_name_plural = _("terminals")
        constraints = [
            models.CheckConstraint(
                condition=Q(token_digest=None)
                | Q(
                    token_expires_at__isnull=False,
                    public_key__isnull=False,
                    enrolled_at__isnull=False,
                ),
                name="terminal_enrolled_whole",
            ),
            models.CheckConstraint(
                condition=Q(next_token_digest=None, next_token_expires_at=None)
                | Q(next_token_digest__isnull=False, next_token_expires_at__isnull=False),
                name="terminal_rolled_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Operator(Named):
    """A person who works at the terminals of a premises and signs on with a PIN.

    `pin_chosen_at` is NULL while the PIN is one that staff gave: with it the operator can only
    choose a new PIN. `name` is encrypted (`core.staff.names`); texts that are kept have the number.
    """

    mutable = (*Named.mutable, "pin", "pin_chosen_at", "is_active")

    premises = foreign_key(Premises, _("premises"), related_name="operators", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    pin = models.CharField(max_length=200)
    pin_chosen_at = models.DateTimeField(_("own PIN since"), null=True)
    is_active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("registered at"))
    created_by = foreign_key(User, _("registered by"))

    class Meta:
        verbose_name = _("operator")
        verbose_name_plural = _("operators")
        constraints = [
            models.UniqueConstraint(fields=["premises", "number"], name="operator_of_premises"),
            *name_constraints("operator"),
        ]

    def __str__(self) -> str:
        return str(self.number)

    @property
    def alias(self) -> str:
        return str(self.number)

    @property
    def name_and_alias(self) -> str:
        return f"{self.number} {self.name}"

    @property
    def name(self) -> str:
        """Return the name, for a page that shows it now."""
        return self.name_read()

    @name.setter
    def name(self, name: str) -> None:
        self.name_encrypt(name)


class BurntRequest(Guarded):
    """A UUID that a terminal gave up before a sale used it. No later sale can use it."""

    uuid = models.UUIDField(_("UUID"), unique=True)
    terminal = foreign_key(Terminal, _("terminal"))
    burnt_at = models.DateTimeField(_("burnt at"))

    class Meta:
        verbose_name = _("burnt request")
        verbose_name_plural = _("burnt requests")

    def __str__(self) -> str:
        return str(self.uuid)


class Resolution(Guarded):
    """A resolution that took effect before it was entered, by two persons [E10].

    It ended an authorisation, revoked a terminal, or suspended the sales of premises or of a
    terminal, as of `effective_at`. What was sold since is in breach. `replaced_at` is the end or
    revocation that was on record before, if any.
    """

    class Effect(models.TextChoices):
        ENDED = "authorisation_ended", _("Authorisation ended")
        REVOKED = "terminal_revoked", _("Terminal revoked")
        SUSPENDED = "sales_suspended", _("Sales suspended")

    effect = models.CharField(_("effect"), max_length=20, choices=Effect.choices)
    authorisation = foreign_key(
        Authorisation, _("authorisation"), related_name="resolutions", null=True
    )
    premises = foreign_key(Premises, _("premises"), related_name="resolutions", null=True)
    terminal = foreign_key(Terminal, _("terminal"), related_name="resolutions", null=True)
    effective_at = models.DateTimeField(_("effective from"))
    replaced_at = models.DateTimeField(_("end on record before"), null=True)
    reference = models.CharField(_("reference"), max_length=120)
    proposal = one_to_one(Proposal, _("proposal"))
    entered_at = models.DateTimeField(_("entered at"))

    class Meta:
        verbose_name = _("resolution")
        verbose_name_plural = _("resolutions")
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    effect="authorisation_ended",
                    authorisation__isnull=False,
                    premises=None,
                    terminal=None,
                )
                | Q(
                    effect="terminal_revoked",
                    authorisation=None,
                    premises=None,
                    terminal__isnull=False,
                )
                | Q(effect="sales_suspended", authorisation=None, premises=None)
                & Q(terminal__isnull=False)
                | Q(effect="sales_suspended", authorisation=None, terminal=None)
                & Q(premises__isnull=False),
                name="resolution_one_subject",
            ),
            models.CheckConstraint(
                condition=Q(effective_at__lte=F("entered_at")), name="resolution_not_ahead"
            ),
            models.CheckConstraint(
                condition=Q(replaced_at=None) | Q(replaced_at__gt=F("effective_at")),
                name="resolution_only_shortens",
            ),
            models.CheckConstraint(condition=~Q(reference=""), name="resolution_has_reference"),
        ]

    def __str__(self) -> str:
        return self.reference


class Suspension(Guarded):
    """A stop of sales: of all sales, at one premises, or at one terminal.

    One that began before it was entered is by a resolution [E10].
    """

    mutable = ("lifted_at", "lifted_by")

    premises = foreign_key(Premises, _("premises"), related_name="suspensions", null=True)
    terminal = foreign_key(Terminal, _("terminal"), related_name="suspensions", null=True)
    reason = models.CharField(_("reason"), max_length=200)
    since = models.DateTimeField(_("since"))
    suspended_by = foreign_key(User, _("suspended by"))
    suspended_in = foreign_key(StaffSession, _("suspended in session"))
    resolution = one_to_one(Resolution, _("resolution"), null=True)
    lifted_at = models.DateTimeField(_("lifted at"), null=True)
    lifted_by = foreign_key(User, _("lifted by"), null=True)

    class Meta:
        verbose_name = _("suspension of sales")
        verbose_name_plural = _("suspensions of sales")
        constraints = [
            models.CheckConstraint(
                condition=Q(premises=None) | Q(terminal=None), name="suspension_one_scope"
            ),
            models.CheckConstraint(
                condition=Q(lifted_at=None, lifted_by=None)
                | Q(lifted_at__isnull=False, lifted_by__isnull=False),
                name="suspension_lifted_whole",
            ),
        ]
        indexes = [
            models.Index(
                fields=["premises", "terminal"],
                condition=Q(lifted_at=None),
                name="suspension_in_force",
            )
        ]

    def __str__(self) -> str:
        return self.reason
