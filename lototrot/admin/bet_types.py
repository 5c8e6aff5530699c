"""Prepare bet types on a form that computes while it is filled in, and show those on record."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin_support.acts import Act, Done
from core.admin_support.columns import money
from core.admin_support.forms import ActForm, EurosField, PercentField, euros_text
from core.admin_support.readonly import ReadOnlyAdmin
from core.kernel.money import MAX_CENTS, percent_text
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.admin import bet_type_words as words
from lototrot.engine.bet_type import (
    MAX_CODE_CHARS,
    MAX_LEGS,
    MAX_NAME_CHARS,
    MIN_LEGS,
    RESERVE,
    BetTypeRefused,
)
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.trial import tried
from lototrot.models.contest import BetType
from lototrot.services.authority import bet_types
from lototrot.services.settlement.past_rounds import past_rounds

Data = dict[str, Any]
_SIDES = ("below", "above")
_MOST_EUROS = MAX_CENTS // 100_000
_PROPOSED = _("Proposed; a second person confirms it.")
_TEXTS = tuple(f"rules_{code}" for code, _language in settings.LANGUAGES)
_MAX_FILE_BYTES = 200_000


class _Prepared(ActForm):
    """A bet type, new or another version of the target. `?draft=` names a proposal to correct.

    `rules` are the engine's, None as long as the figures are not whole.
    """

    live_template = "lototrot/admin/bet_type_live.html"
    tail = (*_TEXTS, "authorisation")

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_CHARS)
    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_CODE_CHARS,
        validators=[RegexValidator("^[a-z0-9-]+$", _("Small letters, digits and hyphens."))],
        help_text=_("For files and addresses, such as v75. It never changes."),
    )
    legs = forms.TypedChoiceField(
        label=_("Races"),
        coerce=int,
        choices=[(legs, legs) for legs in range(MIN_LEGS, MAX_LEGS + 1)],
    )
    price_cents = EurosField(label=_("Price of a bet (€)"), max_value=_MOST_EUROS)
    prize_percent = PercentField(label=_("Share of the takings for prizes (%)"))
    jackpot_threshold_cents = EurosField(
        label=_("Threshold of the jackpot (€)"),
        min_value=0,
        max_value=_MOST_EUROS,
        help_text=_("Above it the second column divides the prize money."),
    )
    payout_step_cents = EurosField(
        label=_("Prizes are multiples of (€)"), max_value=_MOST_EUROS, initial="0.01"
    )

    def build(self) -> None:
        rows = []
        for wrong in range(MAX_LEGS):
            names = [f"{side}_{wrong}" for side in _SIDES]
            for name, side in zip(names, (_("up to the threshold"), _("above it")), strict=True):
                self.fields[name] = PercentField(label=side, required=False)
            rows.append((_missed(wrong), names))
        self.grid = (
            (_("category"), _("up to the threshold (%)"), _("above it (%)")),
            rows,
        )
        for name, (_code, language) in zip(_TEXTS, settings.LANGUAGES, strict=True):
            self.fields[name] = forms.CharField(
                label=_("Rules in %(language)s") % {"language": language},
                max_length=20_000,
                required=False,
                widget=forms.Textarea(attrs={"rows": 4}),
            )
        self.fields["authorisation"] = forms.CharField(label=_("Authorisation"), max_length=120)
        self.rules: Rules | None = None
        self.draft = self._draft()
        if self.draft is not None:
            self._begin_with(self.draft.content)
        elif self.target is not None:
            self._begin_with(_content(self.target))
            self.fields["code"].disabled = True

    def _draft(self) -> Proposal | None:
        """Return the proposal that waits and that is corrected."""
        drafts = Proposal.objects.filter(kind=bet_types.BET_TYPE.name, decision=None)
        for proposal in drafts:
            if str(proposal.uuid) == self.asked.get("draft"):
                return proposal
        return None

    def _begin_with(self, content: Mapping[str, Any]) -> None:
        document = content["document"]
        for name in ("name", "code", "legs", "prize_percent"):
            self.initial[name] = document[name]
        for name in ("jackpot_threshold_cents", "payout_step_cents"):
            self.initial[name] = euros_text(document[name])
        self.initial["price_cents"] = euros_text(content["price_cents"])
        for side in _SIDES:
            for hits, share in document[f"shares_{side}"].items():
                if hits != RESERVE:
                    self.initial[f"{side}_{document['legs'] - int(hits)}"] = share
        for name, (code, _language) in zip(_TEXTS, settings.LANGUAGES, strict=True):
            self.initial[name] = content["rules"].get(code, "")
        if self.draft is not None:
            self.initial["authorisation"] = content["authorisation"]

    def clean_price_cents(self) -> int:
        cents: int = self.cleaned_data["price_cents"]
        least, most = bet_types.price_limits()
        if not least <= cents <= most:
            limits = {"least": money(least), "most": money(most)}
            raise ValidationError(gettext("From %(least)s to %(most)s (14.III.2).") % limits)
        return cents

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        texts = {code: data.get(f"rules_{code}", "") for code, _language in settings.LANGUAGES}
        if any(texts.values()):
            for code, text in texts.items():
                if not text:
                    self.add_error(f"rules_{code}", gettext("Write it in every language."))
        data["texts"] = texts
        if "legs" in data and not any(name in self.errors for name in self._grid_names()):
            self._read(data)
        data["document"] = self.rules.to_document() if self.rules else None
        data["draft"] = self.draft
        return data

    def _grid_names(self) -> list[str]:
        return [f"{side}_{wrong}" for side in _SIDES for wrong in range(MAX_LEGS)]

    def _read(self, data: Data) -> None:
        """Read the figures by the engine, and put its faults at their fields."""
        shares = {f"shares_{side}": self._shares(data, side) for side in _SIDES}
        if not data.get("above_0"):  # the second column is empty: as the first
            shares["shares_above"] = shares["shares_below"] if not self._filled("above") else None
        figures = ("prize_percent", "jackpot_threshold_cents", "payout_step_cents")
        if None in shares.values() or any(data.get(name) is None for name in figures):
            return
        code = data.get("code") or "?"
        document = {
            "code": code,
            "version": self._version(code),
            "name": data.get("name") or "?",
            "legs": data["legs"],
            "prize_percent": percent_text(data["prize_percent"]),
            "jackpot_threshold_cents": data["jackpot_threshold_cents"],
            "payout_step_cents": data["payout_step_cents"],
            **shares,
        }
        least = bet_types.least_prize_percent()
        try:
            self.rules = Rules.from_document(document, minimum_prize_percent=least)
        except BetTypeRefused as error:
            for fault in error.data["errors"]:
                self._put(fault, least)

    def _version(self, code: str) -> int:
        if self.draft is not None and self.draft.content["document"]["code"] == code:
            return int(self.draft.content["document"]["version"])
        return bet_types.next_version(code)

    def _put(self, fault: Mapping[str, str], least: Fraction) -> None:
        texts = {
            "prize_percent_too_low": gettext("At least %(least)s goes to prizes (14.III.6.1).")
            % {"least": words.percent(least)},
            "categories_differ": gettext("Both columns need the same categories."),
            "bad_integer": gettext("This amount is too small or too large."),
            "bad_text": gettext("This text has signs that cannot be printed."),
        }
        places = {"shares_below": "below_0", "shares_above": "above_0"}
        field = places.get(fault["field"], fault["field"])
        place = field if field in self.fields else None
        self.add_error(place, texts.get(fault["code"], fault["detail"]))

    def _filled(self, side: str) -> list[int]:
        given = (self.cleaned_data.get(f"{side}_{wrong}") for wrong in range(MAX_LEGS))
        return [wrong for wrong, share in enumerate(given) if share is not None]

    def _shares(self, data: Data, side: str) -> Data | None:
        """Return the shares of a column with what remains as reserve, or None with its faults."""
        filled, legs = self._filled(side), data["legs"]
        if not filled:
            return None
        for wrong in range(max(filled) + 1):
            name = f"{side}_{wrong}"
            if wrong >= legs:
                text = gettext("A bet on %(legs)s races has no such category.") % {"legs": legs}
                self.add_error(name, text)
                return None
            if wrong not in filled:
                self.add_error(name, gettext("Categories have no gap: fill this one in too."))
                return None
        total = sum((data[f"{side}_{wrong}"] for wrong in filled), Fraction(0))
        if total > 100:
            text = gettext("The shares sum to %(sum)s: 100 %% at most.")
            self.add_error(f"{side}_{filled[-1]}", text % {"sum": words.percent(total)})
            return None
        by_hits = {str(legs - wrong): percent_text(data[f"{side}_{wrong}"]) for wrong in filled}
        return {**by_hits, RESERVE: percent_text(100 - total)}

    def live(self) -> Data:
        legs = self.cleaned_data.get("legs", MAX_LEGS)
        needless = [f"{side}_{wrong}" for side in _SIDES for wrong in range(legs, MAX_LEGS)]
        shown: Data = {"needless": " ".join(needless)}
        price_cents = self.cleaned_data.get("price_cents")
        if self.rules is None or price_cents is None:
            return shown
        shown |= {
            "of_a_bet": words.of_a_bet(self.rules, price_cents),
            "sums": words.sums(self.rules),
        }
        rounds = tried(past_rounds(self.rules.legs), self.rules, price_cents)
        if rounds:
            shown |= {
                "past_table": words.past_table(rounds),
                "past_chart": words.past_chart(rounds),
            }
        return shown

    def said(self) -> words.Facts:
        data = self.cleaned_data
        content = {**data, "rules": data["texts"]}
        return words.facts(content, words.version_before(data["document"]))


def _missed(wrong: int) -> str:
    if wrong == 0:
        return gettext("All right")
    return gettext("All but %(wrong)s") % {"wrong": wrong}


def _content(row: BetType) -> Data:
    names = ("document", "price_cents", "rules", "authorisation")
    return {name: getattr(row, name) for name in names}


class _File(ActForm):
    file = forms.FileField(
        label=_("File"),
        help_text=_("JSON, as the documents in lototrot/bet_types."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".json"}),
    )
    authorisation = forms.CharField(label=_("Authorisation"), max_length=120)

    def clean_file(self) -> Any:
        try:
            document = json.loads(self.cleaned_data["file"].read(_MAX_FILE_BYTES))
        except ValueError as error:
            raise ValidationError(gettext("This is not JSON.")) from error
        if not isinstance(document, dict):
            raise ValidationError(gettext("This is not a JSON object."))
        return document


def _propose(by: StaffActor, target: BetType | None, data: Data) -> Done:
    draft = data.get("draft")
    proposal = bet_types.bet_type_propose(
        by=by,
        document=data["document"],
        authorisation=data["authorisation"],
        price_cents=data["price_cents"],
        rules=data["texts"],
        replaces=draft.uuid if draft else None,
    )
    return Done(_PROPOSED, proposal)


def _propose_file(by: StaffActor, target: None, data: Data) -> Done:
    document = dict(data["file"])
    price_cents, texts = document.pop("price_cents", None), document.pop("rules", None)
    proposal = bet_types.bet_type_propose(
        by=by,
        document=document,
        authorisation=data["authorisation"],
        price_cents=price_cents,
        rules=texts,
    )
    return Done(_PROPOSED, proposal)


PREPARE = Act(
    name="prepare",
    title=_("Prepare a bet type"),
    power=powers.PREPARE_CONTEST,
    run=_propose,
    form=_Prepared,
    icon="add",
    text=_("With the authority's authorisation; a second person confirms it [A19]."),
)
COPY = Act(
    name="copy",
    title=_("Copy as a new version"),
    power=powers.PREPARE_CONTEST,
    run=_propose,
    form=_Prepared,
    icon="content_copy",
    text=_("This version stays as it is, and what is sold with it too."),
)
FROM_FILE = Act(
    name="file",
    title=_("Propose a bet type from a file"),
    power=powers.PREPARE_CONTEST,
    run=_propose_file,
    form=_File,
    icon="upload_file",
    text=_("A file with an error is refused completely. Every error is listed with its place."),
    review=False,
)


@admin.register(BetType)
class BetTypeAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("name", "code", "version", "price_cents", "authorisation", "recorded_at")
    shown = ("said", "recorded_at", "recorded_by", "proposal")
    told = ("code", "version", "price_cents", "authorisation")
    list_filter = ("code",)
    search_fields = ("code",)
    list_acts = (PREPARE, FROM_FILE)
    acts = (COPY,)

    @admin.display(description=_("name"))
    def name(self, row: BetType) -> str:
        return str(row.document["name"])

    @admin.display(description=_("rules"))
    def said(self, row: BetType) -> Any:
        return words.document(_content(row))
