"""Prepare bet types on a form that computes while it is filled in, and show those on record."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.building.form import RULES, DocumentFileForm
from core.admin_support.building.words import Facts, document, percent
from core.admin_support.columns import money
from core.admin_support.forms import EurosField, PercentField, euros_text
from core.admin_support.readonly import ReadOnlyAdmin
from core.kernel.money import percent_text
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin import bet_type_words as words
from lototrot.admin.shares_form import MOST_EUROS, Data, SharesForm
from lototrot.engine.bet_type import MAX_CODE_CHARS, MAX_NAME_CHARS
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.trial import tried
from lototrot.models.contest import BetType
from lototrot.services.authority import bet_types
from lototrot.services.settlement.past_rounds import past_rounds


class _Prepared(SharesForm):
    """A bet type, new or another version of the target. `?draft=` names a proposal to correct."""

    live_template = "lototrot/admin/bet_type_live.html"
    tail = (*RULES, "authorisation")
    field_order = (
        "name",
        "code",
        "legs",
        "price_cents",
        "prize_percent",
        "jackpot_threshold_cents",
        "payout_step_cents",
    )
    kind = bet_types.BET_TYPE.name

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_CHARS)
    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_CODE_CHARS,
        validators=[RegexValidator("^[a-z0-9-]+$", _("Small letters, digits and hyphens."))],
        help_text=_("For files and addresses, such as v75. It never changes."),
    )
    price_cents = EurosField(label=_("Price of a bet (€)"), max_value=MOST_EUROS)
    prize_percent = PercentField(label=_("Share of the takings for prizes (%)"))
    payout_step_cents = EurosField(
        label=_("Prizes are multiples of (€)"), max_value=MOST_EUROS, initial="0.01"
    )

    def build(self) -> None:
        super().build()
        self.add_rules()
        self.fields["authorisation"] = forms.CharField(label=_("Authorisation"), max_length=120)
        self.find_draft()
        if self.draft is not None:
            self._begin_with(self.draft.content)
        elif self.target is not None:
            self._begin_with(_content(self.target))
            self.fields["code"].disabled = True

    def _begin_with(self, content: Mapping[str, Any]) -> None:
        document = content["document"]
        self.begin_with(document)
        for name in ("name", "code", "prize_percent"):
            self.initial[name] = document[name]
        self.initial["payout_step_cents"] = euros_text(document["payout_step_cents"])
        self.initial["price_cents"] = euros_text(content["price_cents"])
        self.initial.update({f"rules_{code}": text for code, text in content["rules"].items()})
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
        data = super().clean()
        texts = self.rules_texts()
        if any(texts.values()):
            for code, text in texts.items():
                if not text:
                    self.add_error(f"rules_{code}", gettext("Write it in every language."))
        data["texts"] = texts
        data["document"] = self.rules.to_document() if self.rules else None
        data["draft"] = self.draft
        return data

    def rules_read(self, data: Data, figures: Data) -> Rules | None:
        if any(data.get(name) is None for name in ("prize_percent", "payout_step_cents")):
            return None
        code = data.get("code") or "?"
        document = {
            "code": code,
            "version": self._version(code),
            "name": data.get("name") or "?",
            "prize_percent": percent_text(data["prize_percent"]),
            "payout_step_cents": data["payout_step_cents"],
            **figures,
        }
        least = bet_types.least_prize_percent()
        return Rules.from_document(document, minimum_prize_percent=least)

    def _version(self, code: str) -> int:
        if self.draft is not None and self.draft.content["document"]["code"] == code:
            return int(self.draft.content["document"]["version"])
        return bet_types.next_version(code)

    def fault_texts(self) -> dict[str, str]:
        least = gettext("At least %(least)s goes to prizes (14.III.6.1).")
        too_low = least % {"least": percent(bet_types.least_prize_percent())}
        return super().fault_texts() | {"prize_percent_too_low": too_low}

    def live(self) -> Data:
        context: Data = {"needless": self.needless()}
        price_cents = self.cleaned_data.get("price_cents")
        if self.rules is None or price_cents is None:
            return context
        context |= {
            "of_a_bet": words.of_a_bet(self.rules, price_cents),
            "sums": words.sums(self.rules),
        }
        rounds = tried(past_rounds(self.rules.legs), self.rules, price_cents)
        if rounds:
            context |= {
                "past_table": words.past_table(rounds),
                "past_chart": words.past_chart(rounds),
            }
        return context

    def summary(self) -> Facts:
        data = self.cleaned_data
        content = {**data, "rules": data["texts"]}
        return words.facts(content, words.version_before(data["document"]))


def _content(row: BetType) -> Data:
    names = ("document", "price_cents", "rules", "authorisation")
    return {name: getattr(row, name) for name in names}


class _File(DocumentFileForm):
    authorisation = forms.CharField(label=_("Authorisation"), max_length=120)

    def build(self) -> None:
        self.fields["file"].help_text = _("JSON, as the documents in lototrot/bet_types.")


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
    return Done(PROPOSED, proposal)


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
    return Done(PROPOSED, proposal)


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
    shown = ("rules_text", "recorded_at", "recorded_by", "proposal")
    told = ("code", "version", "price_cents", "authorisation")
    list_filter = ("code",)
    search_fields = ("code",)
    list_acts = (PREPARE, FROM_FILE)
    acts = (COPY,)

    @admin.display(description=_("name"))
    def name(self, row: BetType) -> str:
        return str(row.document["name"])

    @admin.display(description=_("rules"))
    def rules_text(self, row: BetType) -> Any:
        return document(words.facts(_content(row)))
