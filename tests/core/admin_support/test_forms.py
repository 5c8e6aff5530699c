"""Forms of acts: amounts and instants as they are typed, and as they are read again."""

import datetime
from fractions import Fraction
from typing import Any

import pytest
from django import forms
from django.utils.translation import override

from core.admin_support.forms import (
    ActForm,
    DayField,
    EurosField,
    Grid,
    MomentField,
    NewPasswordMixin,
    PercentField,
    euros_text,
    password_field,
)


class _Act(ActForm):
    amount = EurosField(label="Amount")
    at = MomentField(label="At")
    day = DayField(label="Day")
    kinds = forms.MultipleChoiceField(label="Kinds", choices=[("a", "First"), ("b", "Second")])
    sure = forms.BooleanField(label="Sure", required=False)
    note = forms.CharField(label="Note", required=False)


class _Grid(ActForm):
    def build(self) -> None:
        for name in ("first", "second"):
            self.fields[name] = forms.CharField(required=False)
        self.grids = [Grid(("", "name"), [("Row", ["first", "second"])])]


class _Parts(ActForm):
    tail = ("note",)
    note = forms.CharField(label="Note")
    part = PercentField(label="Part")


class _Passwords(NewPasswordMixin, ActForm):
    password = password_field("Password")
    password_again = password_field("Again")


TYPED = {
    "amount": "12,5",
    "at": "2026-01-05T13:30:15",
    "day": "2026-01-06",
    "kinds": ["b", "a"],
    "sure": "on",
}


def test_what_was_typed_becomes_data() -> None:
    form = _Act(TYPED)
    assert form.is_valid(), form.errors
    data = form.cleaned_data
    assert data["amount"] == 1250
    assert data["at"].isoformat() == "2026-01-05T13:30:15+01:00"
    assert data["day"] == datetime.date(2026, 1, 6)


@pytest.mark.parametrize(
    ("name", "text"), [("amount", "12.345"), ("amount", "x"), ("at", "now"), ("kinds", ["c"])]
)
def test_what_is_no_value_is_refused(name: str, text: Any) -> None:
    form = _Act({**TYPED, name: text})
    assert not form.is_valid()
    assert list(form.errors) == [name]


def test_what_was_typed_is_read_again_before_the_act() -> None:
    form = _Act(TYPED)
    assert form.is_valid()
    with override("en"):
        lines = dict(form.summary())
    assert (lines["Amount"], lines["Kinds"]) == ("€12.50", "Second, First")
    assert (lines["Sure"], lines["Note"]) == ("Yes", "–")
    assert "13:30" in lines["At"]


AUTUMN = "2030-10-27T02:30:00"  # clocks show it twice


@pytest.mark.parametrize(("offset", "zone"), [("+02:00", "CEST"), ("+01:00", "CET")])
def test_an_instant_of_the_hour_that_comes_twice_is_chosen(offset: str, zone: str) -> None:
    """A meeting goes on past midnight [B15]: what happens in that hour must be entered, too."""
    form = _Act({**TYPED, "at": AUTUMN})
    assert [error.code for error in form.errors.as_data()["at"]] == ["hour_comes_twice"]
    html = str(form["at"])
    assert f'value="{AUTUMN}"' in html and f'value="{offset}"' in html and zone in html
    form = _Act({**TYPED, "at": AUTUMN, "at_offset": offset})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["at"].isoformat() == f"{AUTUMN}{offset}"
    assert zone in dict(form.summary())["At"]
    hidden = str(form["at"].as_hidden())
    assert f'value="{AUTUMN}{offset}"' in hidden
    confirmed = _Act({**TYPED, "at": f"{AUTUMN}{offset}"})
    assert confirmed.is_valid(), confirmed.errors
    assert confirmed.cleaned_data["at"] == form.cleaned_data["at"]
    again = str(confirmed["at"])  # as a refusal shows the form again
    assert f'value="{AUTUMN}"' in again and f'value="{offset}" selected' in again


def test_a_form_that_is_opened_in_that_hour_proposes_the_right_one() -> None:
    for instant, offset in ((0, "+02:00"), (1, "+01:00")):
        now = datetime.datetime(2030, 10, 27, instant, 30, tzinfo=datetime.UTC)
        html = str(_Act(initial={"at": now})["at"])
        assert f'value="{AUTUMN}"' in html and f'value="{offset}" selected' in html
    later = _Act({**TYPED, "at": "2030-10-27T04:00:00", "at_offset": "+02:00"})
    assert later.is_valid() and later.cleaned_data["at"].utcoffset() == datetime.timedelta(hours=1)


@pytest.mark.parametrize("text", ["2030-03-31T02:30:00", "2030-13-01T02:30:00", "9999-12-31T25:00"])
def test_a_time_that_no_clock_shows_is_refused(text: str) -> None:
    form = _Act({**TYPED, "at": text, "at_offset": "+02:00"})
    assert list(form.errors) == ["at"]
    assert "at_offset" not in str(form["at"])


def test_a_grid_is_read_row_by_row() -> None:
    form = _Grid({"first": "one", "second": ""})
    assert form.is_valid()
    assert form.loose() == []
    ((grid, rows),) = form.tables()
    assert (grid.names, [heading for heading, _fields in rows]) == (["first", "second"], ["Row"])
    assert form.summary() == [("Row", "one")]
    empty = _Grid({})
    assert empty.is_valid()
    assert empty.summary() == [("Row", "–")]


@pytest.mark.parametrize(
    ("typed", "exact"), [("32,5", Fraction(65, 2)), ("0", Fraction(0)), ("100", Fraction(100))]
)
def test_a_percentage_is_exact(typed: str, exact: Fraction) -> None:
    form = _Parts({"part": typed, "note": "x"})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["part"] == exact
    assert dict(form.summary())["Part"] == f"{typed} %"


@pytest.mark.parametrize("typed", ["100,1", "-1", "x", "1,2345678"])
def test_faults_are_told_field_by_field_but_for_what_is_not_filled_in_yet(typed: str) -> None:
    form = _Parts({"part": typed})
    assert not form.is_valid()
    assert [name for name, _sentence in form.faults()] == ["part"]
    assert [field.name for field in form.head_fields()] == ["part"]
    assert [field.name for field in form.tail_fields()] == ["note"]


def test_an_amount_is_written_as_the_field_reads_it() -> None:
    assert [euros_text(cents) for cents in (None, 5, 123_456)] == ["", "0.05", "1234.56"]


def test_a_new_password_is_typed_twice() -> None:
    assert _Passwords({"password": "x", "password_again": "x"}).is_valid()
    form = _Passwords({"password": "x", "password_again": "y"})
    assert list(form.errors) == ["password_again"]


class _Lines(ActForm):
    name = forms.CharField(label="Name")
    reason = forms.CharField(label="Reason", widget=forms.Textarea)


@pytest.mark.parametrize("sign", ["\u202e", "\u200b", "\u2066", "\ufeff", "\x07"])
def test_a_character_that_nobody_sees_is_refused_in_every_field(sign: str) -> None:
    form = _Lines(data={"name": f"Ca{sign}r", "reason": f"a\r\nb\t{sign}c"})
    codes = {
        name: [error.code for error in errors] for name, errors in form.errors.as_data().items()
    }
    assert codes == {"name": ["control_character"], "reason": ["control_character"]}
    assert _Lines(data={"name": "Vall·llobera", "reason": "a\r\nb\tc"}).is_valid()


@pytest.mark.parametrize(("language", "written"), [("ca", "0,01"), ("es", "0,01"), ("en", "0.01")])
def test_a_decimal_stands_in_a_field_as_the_language_writes_it(language: str, written: str) -> None:
    with override(language):
        form = _Parts(initial={"part": "0.01"})
        assert f'value="{written}"' in str(form["part"])
        amount = _Act(initial={"amount": euros_text(1)})["amount"]
        assert f'value="{written}"' in str(amount)
        typed = _Act({**TYPED, "amount": written})
        assert typed.is_valid() and typed.cleaned_data["amount"] == 1
        assert 'value="1.2.3"' in str(_Act({**TYPED, "amount": "1.2.3"})["amount"])
