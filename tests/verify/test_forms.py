"""Each form accepts its values and names the field of any other."""

from typing import Any

import pytest

from tests.support.verifying.load import verifier

forms = verifier("forms")
GOOD: dict[str, list[Any]] = {
    "text": ["", "x"],
    "words": ["x"],
    "whole": [0, 1, 2**63 - 1],
    "truth": [True, False],
    "rational": [0, "12.5", "7/3", "60"],
    "category": ["7", "10"],
    "share_name": ["7", "10", "reserve"],
    "day": ["2028-02-29"],
    "instant": ["2027-04-10T13:24:07.018245Z"],
    "sha256": ["0f" * 32],
    "key_name": ["0f" * 8],
    "blind": ["0f" * 16],
    "signature": ["0f" * 64],
    "journal_entries": ["0f" * 48, "0f" * 96],
    "anything": [{}, {"a": 1}],
}
BAD: dict[str, list[Any]] = {
    "text": [1, None, ["x"]],
    "words": ["", "  ", None],
    "whole": [-1, 2**63, True, "1", None],
    "truth": [0, 1, "true", None],
    "rational": [-1, "1/0", "1.", "x", "-1", "9" * 5_000, "1/" + "9" * 5_000, None],
    "category": ["0", "07", "100", 7, ""],
    "share_name": ["seven", "²", "0", 7, None],
    "day": ["2027-02-29", "2027-2-1", "20270201", None],
    "instant": ["2027-04-10T13:24:07Z", "2027-04-10T25:24:07.018245Z", "2027-04-10", None],
    "sha256": ["0F" * 32, "0f" * 31, "0f" * 33, None],
    "key_name": ["0f" * 7, None],
    "blind": ["0f" * 15, None],
    "signature": ["0f" * 63, None],
    "journal_entries": ["", "0f" * 47, None],
    "anything": [None, [], "x"],
}


@pytest.mark.parametrize("name", GOOD)
def test_a_function_accepts_its_values_and_no_others(name: str) -> None:
    accepts = getattr(forms, name)
    assert [value for value in GOOD[name] if not accepts(value)] == []
    assert [value for value in BAD[name] if accepts(value)] == []


@pytest.mark.parametrize(
    "value, form, named",
    [
        ({"a": 1}, {"a": forms.whole, "b": forms.text}, "here.b"),
        ({"a": 1, "b": "x"}, {"a": forms.whole}, "here.b"),
        ({"a": "x"}, {"a": forms.whole}, "here.a"),
        ({"a": [1, "x"]}, {"a": [forms.whole]}, r"here.a\[1\]"),
        ({"a": {}}, {"a": [forms.whole]}, "here.a"),
        ([], {"a": forms.whole}, "here"),
        ({"a": "y"}, {"a": ("x", "z")}, "here.a"),
        ({"a": "y"}, {"a": "x"}, "here.a"),
        ({"7": 1, "x": 2}, {forms.category: forms.whole}, "here.x"),
        ({"7": "x"}, {forms.category: forms.whole}, "here.7"),
    ],
)
def test_a_value_of_another_form_is_refused_by_its_field(value: Any, form: Any, named: str) -> None:
    with pytest.raises(forms.Refused, match=f"^{named}: "):
        forms.shaped(value, form, "here")


@pytest.mark.parametrize(
    "value, form",
    [
        ({"a": 1}, {"a": forms.whole}),
        ({"a": None}, {"a": (None, {"b": forms.text})}),
        ({"a": {"b": "x"}}, {"a": (None, {"b": forms.text})}),
        ([], [forms.whole]),
        ({"7": 1, "6": 2}, {forms.category: forms.whole}),
    ],
)
def test_a_value_of_the_form_is_accepted(value: Any, form: Any) -> None:
    forms.shaped(value, form, "here")
