"""Store members of staff, their sessions, and acts that need two persons."""

import uuid
from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.staff.names import (
    USERNAME,
    EncryptedName,
    Named,
    decrypt_name,
    name_constraints,
    read_as,
)
from core.staff.powers import ALONE, Role


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(username=username)


class User(AbstractBaseUser, Named):
    """A member of staff. Roles decide what a person may do; there is no superuser.

    Who inspects, audits or administers has no other role. `given` is the proposal by which two
    administrators last gave this account its roles, its password or its opening, or ended its
    second factor; null for those made on the console. Until `second_from` the person is no second
    person; null for the accounts with which the system began. While `must_set_password` holds,
    others know the password, and nothing but changing it is open.

    Texts that are kept call the person by `username`, which tells no name. `full_name` is
    encrypted (`core.staff.names`). `gave_code` is not stored: whether the code of the second factor
    was right in the sign-on under way.
    """

    mutable = (
        *Named.mutable,
        "given",
        "second_from",
        "password",
        "must_set_password",
        "last_login",
        "roles",
        "is_active",
    )

    username = models.CharField(_("user name"), max_length=60, unique=True)
    roles = ArrayField(
        models.CharField(max_length=20, choices=Role.choices), default=list, verbose_name=_("roles")
    )
    is_active = models.BooleanField(_("active"), default=True)
    appointment = models.CharField(
        _("reference of appointment"),
        max_length=120,
        blank=True,
        help_text=_("The order that appoints an inspector (14.III.5.4.4)."),
    )
    last_login = models.DateTimeField(_("last sign-on"), null=True, blank=True)
    created_at = models.DateTimeField(_("registered at"))
    given = models.ForeignKey(
        "Proposal", models.PROTECT, null=True, related_name="+", verbose_name=_("given by proposal")
    )
    must_set_password = models.BooleanField(_("must set a password of their own"), default=False)
    second_from = models.DateTimeField(_("may be second person from"), null=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "username"
    is_superuser = False
    gave_code = False

    class Meta:
        verbose_name = _("member of staff")
        verbose_name_plural = _("staff")
        constraints = [
            models.CheckConstraint(
                condition=~Q(roles__contains=["inspector"]) | ~Q(appointment=""),
                name="inspector_has_appointment",
            ),
            models.CheckConstraint(
                condition=~Q(roles__overlap=sorted(ALONE)) | Q(roles__len=1),
                name="separate_people",
            ),
            models.CheckConstraint(
                condition=Q(username__regex=f"^{USERNAME}$"), name="username_well_formed"
            ),
            models.UniqueConstraint(read_as(F("username")), name="username_read_as_another"),
            *name_constraints("user"),
        ]

    def __str__(self) -> str:
        return self.username

    @property
    def alias(self) -> str:
        return self.username

    @property
    def full_name(self) -> str:
        """Return the name, for a page that shows it now."""
        return self.name_read()

    @full_name.setter
    def full_name(self, name: str) -> None:
        self.name_encrypt(name)

    def get_full_name(self) -> str:
        """Return the full name. Django's own pages call this method."""
        return self.full_name

    @property
    def is_staff(self) -> bool:
        return bool(self.roles)

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """Return whether the admin may show rows. It never changes rows except through services."""
        return self.is_active and self.is_staff and perm.split(".")[-1].startswith("view_")

    def has_perms(self, perm_list: Iterable[str], obj: object = None) -> bool:
        return all(self.has_perm(perm, obj) for perm in perm_list)

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_staff


class SecondFactor(Guarded):
    """A device that shows one-time codes (RFC 6238) of one person.

    `last_step` is the time step of the last code used. `secret` is encrypted under a key that is
    not in the database. Two administrators end one that was confirmed, by the proposal `ending`.
    """

    mutable = ("confirmed_at", "last_step", "ended_at", "ending")

    uuid = models.UUIDField(_("UUID"), unique=True, default=uuid.uuid4)
    user = foreign_key(User, _("member of staff"), related_name="second_factors")
    secret = models.BinaryField(max_length=80)
    begun_at = models.DateTimeField(_("begun at"))
    confirmed_at = models.DateTimeField(_("confirmed at"), null=True)
    last_step = models.BigIntegerField(_("time step of the last code"), default=0)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    ending = models.ForeignKey(
        "Proposal", models.PROTECT, null=True, related_name="+", verbose_name=_("ended by proposal")
    )

    class Meta:
        verbose_name = _("second factor")
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(ended_at=None), name="second_factor_alone"
            )
        ]

    def __str__(self) -> str:
        return str(self.user)


class StaffSession(Guarded):
    """One authenticated session of one person. Two-person acts need two different sessions.

    Until `verified` is true the session can only set up the second factor.
    """

    mutable = ("ended_at", "verified")

    class Channel(models.TextChoices):
        API = "api"
        ADMIN = "admin"
        COMMAND = "command"

    uuid = models.UUIDField(_("UUID"), unique=True, default=uuid.uuid4)
    user = foreign_key(User, _("member of staff"), related_name="sessions")
    channel = models.CharField(_("signed on through"), max_length=10, choices=Channel.choices)
    token_digest = models.BinaryField(max_length=32, unique=True)
    started_at = models.DateTimeField(_("started at"))
    expires_at = models.DateTimeField(_("expires at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    verified = models.BooleanField(_("second factor given"), default=False)

    class Meta:
        verbose_name = _("session of staff")
        verbose_name_plural = _("sessions of staff")
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("started_at")), name="staff_session_has_length"
            ),
            models.UniqueConstraint(fields=["id", "user"], name="staff_session_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.pk}"


class Proposal(Guarded):
    """An act that one person proposes and another must confirm before it takes effect.

    After `good_until`, and once its proposer's account was closed or given anything, it can only be
    rejected. Null: it is in force since it was proposed, and waits however long. The database sets
    `decided` with the decision: so the few that wait are found without reading all that ever were.
    """

    mutable = ("decided",)
    derived = mutable

    uuid = models.UUIDField(_("UUID"), unique=True, default=uuid.uuid4)
    kind = models.CharField(_("kind"), max_length=60)
    subject = models.CharField(_("subject"), max_length=200)
    content = models.JSONField(_("content"))
    content_digest = models.BinaryField(max_length=32)
    proposed_by = foreign_key(User, _("proposed by"))
    proposed_in = foreign_key(StaffSession, _("proposed in session"))
    proposed_at = models.DateTimeField(_("proposed at"))
    good_until = models.DateTimeField(_("may be confirmed until"), null=True)
    decided = models.BooleanField(_("decided"), default=False)

    class Meta:
        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")
        indexes = [
            models.Index(fields=["subject", "kind"], name="proposal_subject"),
            models.Index(fields=["id"], condition=Q(decided=False), name="proposal_undecided"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["id", "proposed_by", "proposed_in"], name="proposal_with_proposer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @property
    def shown_content(self) -> dict[str, Any]:
        """Return the content with the name of a person in clear, until the name is erased."""
        content = dict(self.content)
        ciphertext = content.pop(NAME_ENCRYPTED, None)
        if ciphertext is None:
            return content
        return {"full_name": _proposed_name(self, bytes.fromhex(ciphertext)), **content}


NAME_ENCRYPTED = "name_encrypted"
"""The field of a proposal's content that holds the name of the person of a new account."""


def _proposed_name(proposal: Proposal, ciphertext: bytes) -> str:
    """Return the name of the person whose account is proposed; "" once it cannot be read."""
    opened = User.objects.filter(name_encrypted=ciphertext).first()
    if opened is not None:
        return opened.full_name
    waiting = NewPassword.objects.filter(proposal=proposal).first()
    if waiting is None or waiting.name_key is None:
        return ""
    return decrypt_name(User, EncryptedName(ciphertext, bytes(waiting.name_key)))


class Decision(Guarded):
    """The decision on a proposal: confirmed by a second person, or rejected.

    The columns of the proposer are copies, which a foreign key on all three columns keeps equal to
    the proposal. With them a check constraint refuses a confirmation by the same person or in the
    same session.
    """

    class Verdict(models.TextChoices):
        CONFIRMED = "confirmed", _("Confirmed")
        REJECTED = "rejected", _("Rejected")

    proposal = one_to_one(Proposal, _("proposal"), related_name="decision")
    verdict = models.CharField(_("decision"), max_length=10, choices=Verdict.choices)
    proposed_by = foreign_key(User, _("proposed by"))
    proposed_in = foreign_key(StaffSession, _("proposed in session"))
    decided_by = foreign_key(User, _("decided by"))
    decided_in = foreign_key(StaffSession, _("decided in session"))
    decided_at = models.DateTimeField(_("decided at"))
    reason = models.CharField(_("reason"), max_length=400, blank=True)

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict="rejected")
                | (~Q(decided_by=F("proposed_by")) & ~Q(decided_in=F("proposed_in"))),
                name="confirmed_by_another_person",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["confirmed", "rejected"]), name="decision_verdict"
            ),
        ]

    def __str__(self) -> str:
        return str(self.get_verdict_display())

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.proposed_by_id = self.proposal.proposed_by_id
        self.proposed_in_id = self.proposal.proposed_in_id
        super().save(*args, **kwargs)


class NewPassword(Guarded):
    """The hash of a password that an administrator set for another person, until it is decided.

    It is empty after the decision, and from the night after the proposal has lapsed. Proposals are
    read by many, so they never hold it. `name_key` is the key of the name of a new account's
    person: it goes to the account, or is destroyed.
    """

    mutable = ("password", "name_key")

    proposal = one_to_one(Proposal, _("proposal"))
    password = models.CharField(max_length=128)
    name_key = models.BinaryField(max_length=100, null=True)

    class Meta:
        verbose_name = _("password to be confirmed")
        verbose_name_plural = _("passwords to be confirmed")

    def __str__(self) -> str:
        return str(self.proposal)
