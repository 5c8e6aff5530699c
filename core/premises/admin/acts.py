"""Carry out acts on premises, terminals, operators and suspensions in the admin."""

from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.forms import ActForm, MomentField
from core.database import clock
from core.premises import (
    lists,
    openings,
    operators,
    powers,
    resolutions,
    services,
    suspending,
)
from core.premises.models import (
    Authorisation,
    Game,
    Operator,
    Premises,
    Resolution,
    Suspension,
    Terminal,
)
from core.staff.actor import StaffActor

Data = dict[str, Any]


# --- Forms ----------------------------------------------------------------------------------------


class _NewPremises(ActForm):
    code = forms.CharField(label=_("Code"), max_length=20)
    name = forms.CharField(label=_("Name"), max_length=120)
    kind = forms.ChoiceField(label=_("Kind"), choices=Premises.Kind.choices)
    address = forms.CharField(label=_("Address"), max_length=200)
    municipality = forms.CharField(label=_("Municipality"), max_length=80)


class _List(ActForm):
    file = forms.FileField(
        label=_("File"),
        help_text=format_lazy(
            "{} {}",
            _(
                "CSV, one premises a line. Days as 2030-12-31; several games or terminals with a"
                " space between. The columns:"
            ),
            ", ".join(lists.COLUMNS),
        ),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv"}),
    )


class _NewAuthorisation(ActForm):
    game = forms.ChoiceField(label=_("Game"), choices=Game.choices)
    valid_from = MomentField(label=_("Valid from"))
    valid_until = MomentField(label=_("Valid until"), required=False)
    reference = forms.CharField(label=_("Reference"), max_length=120)


class _NewTerminals(ActForm):
    codes = forms.CharField(
        label=_("Codes"),
        max_length=5_000,
        help_text=_("One a line."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean_codes(self) -> str:
        """Return the codes. Raises ValidationError for one that is longer than a terminal's."""
        codes: str = self.cleaned_data["codes"]
        for code in codes.split():
            MaxLengthValidator(20)(code)
        return codes


class _Pin(ActForm):
    pin = forms.CharField(
        label=_("PIN"),
        help_text=_(
            "6 to 12 digits, nothing that is easily guessed. With it the operator can only choose"
            " another PIN."
        ),
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )


class _NewOperator(_Pin):
    number = forms.IntegerField(label=_("Number"), min_value=1, max_value=32_767)
    name = forms.CharField(label=_("Name"), max_length=120)
    field_order = ("number", "name", "pin")


class _Why(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _Resolution(ActForm):
    effective_at = MomentField(label=_("Takes effect as of"))
    reference = forms.CharField(label=_("Reference of the resolution"), max_length=120)


# --- Acts -----------------------------------------------------------------------------------------


def _register(by: StaffActor, target: None, data: Data) -> Done:
    new = openings.NewPremises(**data)
    return Done(PROPOSED, openings.opening_propose(by=by, premises=[new]))


def _register_list(by: StaffActor, target: None, data: Data) -> Done:
    opening = lists.opening_read(data["file"].read(lists.MAX_BYTES + 1))
    proposal = openings.opening_propose(
        by=by,
        premises=opening.premises,
        authorisations=opening.authorisations,
        terminals=opening.terminals,
    )
    return Done(PROPOSED, proposal)


def _authorise(by: StaffActor, place: Premises, data: Data) -> Done:
    new = openings.NewAuthorisation(premises=place.code, **data)
    return Done(PROPOSED, openings.opening_propose(by=by, authorisations=[new]))


def _end(by: StaffActor, authorisation: Authorisation, data: Data) -> Done:
    services.authorisation_end(by=by, authorisation=authorisation.pk)
    return Done(_("The authorisation has ended."))


def _register_terminals(by: StaffActor, place: Premises, data: Data) -> Done:
    new = [openings.NewTerminal(place.code, code) for code in data["codes"].split()]
    return Done(PROPOSED, openings.opening_propose(by=by, terminals=new))


def _reenrol(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    proposal = openings.enrolment_propose(by=by, terminals=[terminal.code], reason=data["reason"])
    return Done(PROPOSED, proposal)


def _code(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    code = openings.enrolment_code(by=by, terminal=terminal.code)
    message = _("The one-time code with which the terminal enrols; its scanner reads the symbol:")
    return Done(message, terminal, secret=code, scanned=True)


def _may_enrol(by: StaffActor, terminal: Terminal) -> bool:
    newest = terminal.enrolments.order_by("-pk").first()
    return newest is not None and not newest.used_at and newest.allowed_until > clock.now()


def _revoke(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    services.terminal_revoke(by=by, terminal=terminal.code)
    return Done(_("The terminal is revoked."))


def _register_operator(by: StaffActor, place: Premises, data: Data) -> Done:
    operators.operator_register(by=by, premises=place.code, **data)
    return Done(_("The operator is registered."))


def _reset_pin(by: StaffActor, operator: Operator, data: Data) -> Done:
    operators.operator_pin_reset(
        by=by, premises=operator.premises.code, number=operator.number, **data
    )
    return Done(_("The PIN is set; the operator's sessions have ended."))


def _deactivate(by: StaffActor, operator: Operator, data: Data) -> Done:
    operators.operator_deactivate(by=by, premises=operator.premises.code, number=operator.number)
    return Done(_("The operator no longer works here."))


def _suspend(by: StaffActor, target: Premises | Terminal | None, data: Data) -> Done:
    suspending.sales_suspend(
        by=by,
        reason=data["reason"],
        premises=target.code if isinstance(target, Premises) else None,
        terminal=target.code if isinstance(target, Terminal) else None,
    )
    return Done(_("Sales are suspended."))


def _resume_resolved(by: StaffActor, suspension: Suspension, data: Data) -> Done:
    return Done(PROPOSED, suspending.resuming_propose(by=by, suspension=suspension.pk))


def _resume(by: StaffActor, suspension: Suspension, data: Data) -> Done:
    suspending.sales_resume(by=by, suspension=suspension.pk)
    return Done(_("The suspension is lifted."))


def _stands(suspension: Suspension, *, by_resolution: bool) -> bool:
    is_by_resolution = suspension.resolution_id is not None
    return suspension.lifted_at is None and is_by_resolution == by_resolution


def _end_as_of(by: StaffActor, authorisation: Authorisation, data: Data) -> Done:
    return _proposed(by, Resolution.Effect.ENDED, data, authorisation=authorisation.pk)


def _revoke_as_of(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    return _proposed(by, Resolution.Effect.REVOKED, data, terminal=terminal.code)


def _suspend_as_of(by: StaffActor, target: Premises | Terminal, data: Data) -> Done:
    name = "premises" if isinstance(target, Premises) else "terminal"
    return _proposed(by, Resolution.Effect.SUSPENDED, data, **{name: target.code})


def _proposed(by: StaffActor, effect: Resolution.Effect, data: Data, **subject: Any) -> Done:
    proposal = resolutions.resolution_propose(by=by, effect=effect.value, **subject, **data)
    return Done(PROPOSED, proposal)


def _in_force(by: StaffActor, authorisation: Authorisation) -> bool:
    now, until = clock.now(), authorisation.valid_until
    return bool(authorisation.valid_from <= now and (until is None or until > now))


REGISTER = Act(
    name="register",
    title=_("Propose premises"),
    power=powers.REGISTER,
    run=_register,
    form=_NewPremises,
    icon="add_business",
)
REGISTER_LIST = Act(
    name="register_list",
    title=_("Propose premises by a file"),
    power=powers.REGISTER,
    run=_register_list,
    form=_List,
    text=_("Premises, authorisations and terminals are one proposal: the second person reads all."),
    icon="upload_file",
    review=False,
)
AUTHORISE = Act(
    name="authorise",
    title=_("Propose an authorisation"),
    power=powers.REGISTER,
    run=_authorise,
    form=_NewAuthorisation,
    icon="verified",
)
END = Act(
    name="end",
    title=_("End the authorisation"),
    power=powers.REGISTER,
    run=_end,
    text=_("Sales of the game at these premises stop at this instant (14.I.6)."),
    icon="event_busy",
    danger=True,
    offered=_in_force,
)
END_AS_OF = Act(
    name="end_as_of",
    title=_("End as of the past"),
    power=powers.ENTER_RESOLUTION,
    run=_end_as_of,
    form=_Resolution,
    text=_("Bets sold since are in breach; two persons enter the resolution [E10]."),
    icon="history",
    danger=True,
)
REVOKE_AS_OF = Act(
    name="revoke_as_of",
    title=_("Revoke as of the past"),
    power=powers.ENTER_RESOLUTION,
    run=_revoke_as_of,
    form=_Resolution,
    text=_("Bets sold since are in breach; two persons enter the resolution [E10]."),
    icon="history",
    danger=True,
)
SUSPEND_AS_OF = Act(
    name="suspend_as_of",
    title=_("Suspend sales as of the past"),
    power=powers.ENTER_RESOLUTION,
    run=_suspend_as_of,
    form=_Resolution,
    text=_("Bets sold since are in breach; two persons enter the resolution [E10]."),
    icon="history",
    danger=True,
)
TERMINAL = Act(
    name="terminal",
    title=_("Propose terminals"),
    power=powers.REGISTER,
    run=_register_terminals,
    form=_NewTerminals,
    icon="add_to_queue",
)
REENROL = Act(
    name="reenrol",
    title=_("Propose that it enrols again"),
    power=powers.REGISTER,
    run=_reenrol,
    form=_Why,
    text=_("The present token goes on working until the new code is used."),
    icon="restart_alt",
    offered=lambda by, terminal: terminal.revoked_at is None,
)
CODE = Act(
    name="code",
    title=_("Enrolment code"),
    power=powers.REGISTER,
    run=_code,
    text=_("Two persons let this terminal enrol, once. An earlier code is worth nothing then."),
    icon="qr_code",
    offered=_may_enrol,
)
REVOKE = Act(
    name="revoke",
    title=_("Revoke the terminal"),
    power=powers.REGISTER,
    run=_revoke,
    text=_("The terminal ends for good; another one needs another code."),
    icon="block",
    danger=True,
    offered=lambda by, terminal: terminal.revoked_at is None,
)
OPERATOR = Act(
    name="operator",
    title=_("Register an operator"),
    power=powers.REGISTER,
    run=_register_operator,
    form=_NewOperator,
    icon="person_add",
    review=False,
)
PIN_RESET = Act(
    name="pin_reset",
    title=_("Set a PIN"),
    power=powers.REGISTER,
    run=_reset_pin,
    form=_Pin,
    icon="key",
    review=False,
    offered=lambda by, operator: bool(operator.is_active),
)
DEACTIVATE = Act(
    name="deactivate",
    title=_("End the operator's work here"),
    power=powers.REGISTER,
    run=_deactivate,
    text=_("The person signs on here no more, and every session ends now."),
    icon="person_off",
    danger=True,
    offered=lambda by, operator: bool(operator.is_active),
)
SUSPEND = Act(
    name="suspend",
    title=_("Suspend sales"),
    power=powers.SUSPEND,
    run=_suspend,
    form=_Why,
    icon="pause_circle",
    danger=True,
)
SUSPEND_ALL = Act(
    name="suspend_all",
    title=_("Suspend all sales"),
    power=powers.SUSPEND,
    run=_suspend,
    form=_Why,
    text=_("No terminal anywhere sells until this is lifted."),
    icon="pause_circle",
    danger=True,
)
RESUME = Act(
    name="resume",
    title=_("Lift the suspension"),
    power=powers.SUSPEND,
    run=_resume,
    text=_("Sales resume where no other suspension stands."),
    icon="play_circle",
    offered=lambda by, suspension: _stands(suspension, by_resolution=False),
)
RESUME_RESOLVED = Act(
    name="resume_resolved",
    title=_("Lift the suspension"),
    power=powers.ENTER_RESOLUTION,
    run=_resume_resolved,
    text=_("Sales resume where no other suspension stands."),
    icon="play_circle",
    offered=lambda by, suspension: _stands(suspension, by_resolution=True),
)
