"""Show games: their versions, the faults of a version, their approval and their end."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done, Facts
from core.admin_support.building.form import DocumentFileForm
from core.admin_support.building.words import document, percent
from core.admin_support.columns import NOTHING, lines, listed, money
from core.admin_support.forms import ActForm, EurosField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.admin.building import game_words
from promotrot.admin.building.predrawn_form import PredrawnForm
from promotrot.admin.building.probabilistic_form import ProbabilisticForm
from promotrot.admin.words import FAULTS
from promotrot.engine.prize_table import declarable
from promotrot.models.debt import DebtDecision, DebtDraw, DebtStanding
from promotrot.models.emission import Emission
from promotrot.models.game import (
    DisplayAcknowledgement,
    Game,
    GameApproval,
    GameEnding,
    GameType,
    GameVersion,
)
from promotrot.reports import STAGES as DEBT_STAGES
from promotrot.selectors.debts import Stage, debts_of
from promotrot.selectors.games import approved_before, version_game
from promotrot.selectors.owed import owed_cents
from promotrot.services import emissions, games
from promotrot.services.debts import deciding, drawing, ending

Data = dict[str, Any]


class _File(DocumentFileForm):
    def build(self) -> None:
        self.fields["file"].help_text = _("JSON, as the documents in promotrot/games.")


class _Plan(ActForm):
    extra_tier = forms.TypedChoiceField(
        label=_("Extra prizes equal to tier"), required=False, coerce=int, empty_value=None
    )
    stop_without_top = forms.BooleanField(
        label=_("Stops when no top prize is left"), required=False
    )

    def build(self) -> None:
        tier = cast(forms.TypedChoiceField, self.fields["extra_tier"])
        tier.choices = [("", NOTHING), *_tiers(self.target)]


def _tiers(game: Game) -> list[tuple[int, str]]:
    """Return the prizes of a game's newest approved version, by their numbers."""
    version = approved_before(game.code)
    if version is None:
        return []
    defined = version_game(version.pk)
    numbers = range(1, len(defined.kind.prizes) + 1)
    return [(each, f"{each} · {game_words.tier_text(defined, each)}") for each in numbers]


class _End(ActForm):
    winners = forms.IntegerField(label=_("Tickets drawn"), min_value=0, initial=0)


class _Decision(ActForm):
    cents = EurosField(label=_("Amount"), min_value=0)
    reference = forms.CharField(label=_("Reference of the decision"), max_length=120)
    payee = forms.CharField(label=_("Payee"), max_length=200)


def _propose(by: StaffActor, target: GameVersion | None, data: Data) -> Done:
    draft = data["draft"]
    proposal = games.game_propose(
        by=by,
        document=data["document"],
        replaces=draft.uuid if draft else None,
        like=target,
    )
    return Done(PROPOSED, proposal)


def _propose_file(by: StaffActor, target: None, data: Data) -> Done:
    return Done(PROPOSED, games.game_propose(by=by, document=data["file"]))


def _approve(by: StaffActor, version: GameVersion, data: Data) -> Done:
    return Done(PROPOSED, games.game_approve_propose(by=by, version=version))


def _plan(by: StaffActor, game: Game, data: Data) -> Done:
    emission = emissions.emission_plan(
        by=by, game=game, extra_tier=data["extra_tier"], stop_without_top=data["stop_without_top"]
    )
    return Done(_("The emission is planned."), emission)


def _end(by: StaffActor, game: Game, data: Data) -> Done:
    return Done(PROPOSED, ending.game_end_propose(by=by, game=game, winners=data["winners"]))


def _approval_facts(version: GameVersion) -> Facts:
    """Return the result of an approval today: every fault, or the percentages as declared."""
    approval = games.game_check(version=version)
    if approval.percentages is None:
        return [(fault.article, FAULTS.get(fault.code, fault.detail)) for fault in approval.faults]
    exact = approval.percentages
    return [
        (_("worst way of playing"), percent(declarable(exact.worst))),
        (_("at random"), percent(declarable(exact.random))),
        (_("best way of playing"), percent(declarable(exact.best))),
        *([(_("blocks"), approval.plan.blocks)] if approval.plan else []),
    ]


def _owed(game: Game) -> Facts:
    return [(_("owed to prizes"), money(owed_cents(game)))]


def _draw_again(by: StaffActor, game: Game, data: Data) -> Done:
    return Done(_("The draw is announced."), drawing.debt_draw_again(by=by, game=game))


def _decide(by: StaffActor, game: Game, data: Data) -> Done:
    return Done(PROPOSED, deciding.debt_decide_propose(by=by, game=game, **data))


def _at(stage: Stage) -> Callable[[StaffActor, Game], bool]:
    return lambda by, game: any(debt.stage is stage for debt in debts_of(game))


def _debt_facts(game: Game) -> Facts:
    return [(DEBT_STAGES[debt.stage], money(debt.cents)) for debt in debts_of(game)]


_WORDS = _("A second person confirms it; once approved nothing of it changes any more (15.II.2).")
PREDRAWN = Act(
    name="predrawn",
    title=_("Prepare a pre-drawn game"),
    power=powers.APPROVE_GAME,
    run=_propose,
    form=PredrawnForm,
    icon="add",
    text=_WORDS,
)
PROBABILISTIC = Act(
    name="probabilistic",
    title=_("Prepare a game in which the play decides"),
    power=powers.APPROVE_GAME,
    run=_propose,
    form=ProbabilisticForm,
    icon="add",
    text=_WORDS,
)
COPY_PREDRAWN = Act(
    name="copy-predrawn",
    title=_("Copy as a new version"),
    power=powers.APPROVE_GAME,
    run=_propose,
    form=PredrawnForm,
    icon="content_copy",
    offered=lambda by, version: version.game.type.mode == GameType.Mode.PREDRAWN,
    text=_("This version stays as it is, and what is sold with it too."),
)
COPY_PROBABILISTIC = Act(
    name="copy-probabilistic",
    title=_("Copy as a new version"),
    power=powers.APPROVE_GAME,
    run=_propose,
    form=ProbabilisticForm,
    icon="content_copy",
    offered=lambda by, version: version.game.type.mode == GameType.Mode.PROBABILISTIC,
    text=_("This version stays as it is, and what is sold with it too."),
)
FROM_FILE = Act(
    name="file",
    title=_("Propose a game from a file"),
    power=powers.APPROVE_GAME,
    run=_propose_file,
    form=_File,
    icon="upload_file",
    text=_("A file with an error is refused completely. Every error is listed with its place."),
    review=False,
)
APPROVE = Act(
    name="approve",
    title=_("Propose the approval"),
    power=powers.APPROVE_GAME,
    run=_approve,
    icon="verified",
    facts=_approval_facts,
    danger=True,
    text=_("Once approved nothing of it changes any more (15.II.2)."),
    offered=lambda by, version: not GameApproval.objects.filter(version=version).exists(),
)
PLAN = Act(
    name="plan",
    title=_("Plan the next emission"),
    power=powers.PLAN_EMISSION,
    run=_plan,
    form=_Plan,
    icon="add_box",
    facts=_owed,
    text=_("A game that owes prizes has extra ones in its next emission (15.III.6.2)."),
    offered=lambda by, game: (
        GameApproval.objects.filter(version__game=game).exists() and not _ended(game)
    ),
)
END = Act(
    name="end",
    title=_("Propose its end"),
    power=powers.END_GAME,
    run=_end,
    form=_End,
    icon="flag",
    facts=_owed,
    danger=True,
    text=_("It has no further emission; what it owes is drawn in public among its tickets."),
    offered=lambda by, game: not _ended(game),
)


DRAW_AGAIN = Act(
    name="draw-again",
    title=_("Draw what lapsed again"),
    power=powers.END_GAME,
    run=_draw_again,
    icon="casino",
    facts=_debt_facts,
    text=_("At the Central Office, as soon as a draw may be; a ticket for each prize that lapsed."),
    offered=_at(Stage.AGAIN),
)
DECIDE = Act(
    name="decide-debt",
    title=_("Carry out the authority's decision"),
    power=powers.END_GAME,
    run=_decide,
    form=_Decision,
    icon="gavel",
    facts=_debt_facts,
    danger=True,
    text=_("It is paid from the treasury to whom the decision names."),
    offered=_at(Stage.AUTHORITY),
)


def _ended(game: Game) -> bool:
    return GameEnding.objects.filter(game=game).exists()


class _Versions(ReadOnlyInline):
    model = GameVersion
    shown = ("version", "digest", "recorded_at", "recorded_by")


class _Ending(ReadOnlyInline):
    model = GameEnding
    shown = ("owed_cents", "winners", "ended_at", "proposal")


class _DebtDraws(ReadOnlyInline):
    model = DebtDraw
    shown = ("number", "owed_cents", "winners", "announced_at")


class _DebtStandings(ReadOnlyInline):
    model = DebtStanding
    shown = ("cents", "stood_at")


class _DebtDecisions(ReadOnlyInline):
    model = DebtDecision
    shown = ("reference", "payee", "cents", "decided_at", "proposal")


class _Approval(ReadOnlyInline):
    model = GameApproval
    shown = ("day", "percentages", "plan_digest", "approved_at", "proposal")


@admin.register(Game)
class GameAdmin(ReadOnlyAdmin):
    quick = ("code__iexact",)
    read_power = powers.READ_EMISSIONS
    columns = ("code", "type", "owed", "recorded_at")
    shown = ("code", "type", "owed", "prize_account", "emissions", "recorded_at")
    inlines = (_Versions, _Ending, _DebtDraws, _DebtStandings, _DebtDecisions)
    acts = (PLAN, END, DRAW_AGAIN, DECIDE)

    @admin.display(description=_("owed to prizes"))
    def owed(self, row: Game) -> str:
        return money(sum(debt.cents for debt in debts_of(row)))

    @admin.display(description=_("emissions"))
    def emissions(self, row: Game) -> Any:
        return listed(Emission, _("See them"), game__id__exact=row.pk)


@admin.register(GameVersion)
class GameVersionAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("game", "version", "approved", "recorded_at", "recorded_by")
    shown = (
        "game",
        "version",
        "obstacles",
        "rules_text",
        "digest",
        "recorded_at",
        "recorded_by",
        "recorded_in",
    )
    list_select_related = ("game", "approval", "recorded_by")
    inlines = (_Approval,)
    acts = (APPROVE, COPY_PREDRAWN, COPY_PROBABILISTIC)
    list_acts = (PREDRAWN, PROBABILISTIC, FROM_FILE)

    @admin.display(description=_("approved"), boolean=True)
    def approved(self, row: GameVersion) -> bool:
        return hasattr(row, "approval")

    @admin.display(description=_("rules"))
    def rules_text(self, row: GameVersion) -> Any:
        return document(game_words.facts(version_game(row.pk)))

    @admin.display(description=_("what is missing"))
    def obstacles(self, row: GameVersion) -> Any:
        if hasattr(row, "approval"):
            return "–"
        faults = games.game_check(version=row).faults
        return lines(f"{FAULTS.get(f.code, f.detail)} ({f.article})" for f in faults) or "–"


@admin.register(DisplayAcknowledgement)
class DisplayAcknowledgementAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("id", "approval", "terminal", "operator", "acknowledged_at")
    list_select_related = ("approval__version__game", "terminal", "operator")
    search_fields = ("terminal__code",)


@admin.register(GameType)
class GameTypeAdmin(ReadOnlyAdmin):
    read_power = powers.READ_EMISSIONS
    columns = ("id", "mode", "prize_percent", "tickets", "price_cents")
