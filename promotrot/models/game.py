"""Store types, concrete games and their approval (15.II.2, 15.II.3)."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.ledger.models import Account
from core.premises.models import Operator, Terminal
from core.staff.models import Proposal, StaffSession, User


class GameType(Guarded):
    """A type, given by its four factors: percentage, tickets, price, and the exact prizes.

    `factors` is that part of a game's document (`promotrot-game/1`); `digest` is its canonical
    SHA-256. Any change of a factor makes another type.
    """

    class Mode(models.TextChoices):
        PREDRAWN = "predrawn", _("Pre-drawn")
        PROBABILISTIC = "probabilistic", _("Probabilistic")

    digest = models.CharField(_("digest"), max_length=64, unique=True)
    mode = models.CharField(_("mode"), max_length=13, choices=Mode.choices)
    prize_percent = models.CharField(_("percentage to prizes"), max_length=20)
    tickets = models.PositiveIntegerField(_("tickets"))
    price_cents = models.BigIntegerField(_("price"))
    factors = models.JSONField(_("factors"))

    class Meta:
        verbose_name = _("type of game")
        verbose_name_plural = _("types of game")

    def __str__(self) -> str:
        return f"{self.get_mode_display()} {self.prize_percent} % × {self.tickets}"


class Game(Guarded):
    """A concrete game: a type with a presentation. The 70 % holds for each game (15.III.6.2).

    `prize_account` is the game's prize account in the ledger. Awards are debited to it when they
    are made. At an emission's closing the minimum percentage of the takings is credited to it. The
    balance is owed to prizes of this game (accounts.py).
    """

    code = models.CharField(_("code"), max_length=40, unique=True)
    type = foreign_key(GameType, _("type"), related_name="games")
    prize_account = one_to_one(Account, _("prize account"))
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")

    def __str__(self) -> str:
        return self.code


class GameVersion(Guarded):
    """A complete definition of a game: type, pictures and texts. It never changes.

    `promotrot.engine.game_json.read_game` reads `document`. Versions of a game may differ in
    pictures and texts, never in the type.
    """

    game = foreign_key(Game, _("game"), related_name="versions", db_index=False)
    version = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("document"))
    digest = models.CharField(_("digest"), max_length=64)
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))

    class Meta:
        verbose_name = _("version of a game")
        verbose_name_plural = _("versions of games")
        constraints = [
            models.UniqueConstraint(fields=["game", "version"], name="game_version"),
            models.UniqueConstraint(fields=["game", "digest"], name="game_version_content"),
        ]

    def __str__(self) -> str:
        return f"{self.game} v{self.version}"


class GameApproval(Guarded):
    """The approval of a version by two persons, after every check of it passed on that `day`.

    Only an approved version has emissions. `percentages` are the exact ones of the worst, random
    and best way of playing, each an int or the text "n/d". `plan_digest` is the digest, in
    hexadecimal, of the plan of a pre-drawn emission without extra prizes.
    """

    version = one_to_one(GameVersion, _("version"), related_name="approval")
    proposal = one_to_one(Proposal, _("proposal"))
    day = models.DateField(_("day"))
    percentages = models.JSONField(_("percentages"))
    plan_digest = models.CharField(_("digest of the plan"), max_length=64, blank=True)
    approved_at = models.DateTimeField(_("approved at"))

    class Meta:
        verbose_name = _("approval of a game")
        verbose_name_plural = _("approvals of games")

    def __str__(self) -> str:
        return str(self.version)


class DisplayAcknowledgement(Guarded):
    """An operator's declaration at a terminal that a game's rules and percentage are displayed.

    It is made before the first sale there, for each approved version, as each has rules of its own
    (15.III.5.2) [P20].
    """

    approval = foreign_key(
        GameApproval, _("approval"), related_name="acknowledgements", db_index=False
    )
    terminal = foreign_key(Terminal, _("terminal"), db_index=False)
    operator = foreign_key(Operator, _("operator"), db_index=False)
    acknowledged_at = models.DateTimeField(_("declared on display at"))

    class Meta:
        verbose_name = _("declaration of display")
        verbose_name_plural = _("declarations of display")
        constraints = [
            models.UniqueConstraint(
                fields=["approval", "terminal", "operator"], name="game_display_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.approval} · {self.terminal}"


class GameEnding(Guarded):
    """The end of a game for good. It has no further emission; a public draw shares out what it
    owes.

    `owed_cents` is its debt at the end, to be shared by `winners` of its tickets [P2]; by none
    where the price of every ticket is due back, and then it stands for the authority [P17].
    """

    game = one_to_one(Game, _("game"), related_name="ending")
    proposal = one_to_one(Proposal, _("proposal"))
    owed_cents = models.BigIntegerField(_("owed to prizes"))
    winners = models.PositiveIntegerField(_("tickets drawn"))
    ended_at = models.DateTimeField(_("ended at"))

    class Meta:
        verbose_name = _("end of a game")
        verbose_name_plural = _("ends of games")
        constraints = [
            models.CheckConstraint(
                condition=Q(owed_cents=0, winners=0) | Q(owed_cents__gt=0),
                name="ending_draw",
            )
        ]

    def __str__(self) -> str:
        return str(self.game)
