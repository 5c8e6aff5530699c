"""JSON documents as nested tables."""

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from core.admin_support.documents import as_html


@pytest.mark.parametrize(
    ("value", "key", "html"),
    [
        (None, "", "–"),
        ("", "", "–"),
        (True, "", "Yes"),
        (False, "", "No"),
        (1250, "prize_cents", "€12.50"),
        (1250, "cents", "€12.50"),
        (1250, "number", "1250"),
        ("2026-01-05T12:30:00+00:00", "in_force_from", "5 Jan 2026 13:30:00"),
        ("2026-01-05T12:30", "in_force_from", "2026-01-05T12:30"),
        ([1, 2], "", "1, 2"),
        ([], "", "–"),
        ([[1, 2], [3]], "", "1, 2 3"),
        ("<b>", "", "&lt;b&gt;"),
        ("2026-10-15", "valued_on", "15 Oct 2026"),
        ("2026-02-30", "valued_on", "2026-02-30"),
        ("20261015", "number", "20261015"),
        ("9999-12-31T23:59:59Z", "reason", "9999-12-31T23:59:59Z"),
        ("0001-01-01T00:00:00+02:00", "reason", "0001-01-01T00:00:00+02:00"),
    ],
)
def test_a_value_reads_as_people_write_it(value: Any, key: str, html: str) -> None:
    with override("en"):
        assert as_html(value, key) == html


def test_an_instant_reads_in_the_time_of_madrid() -> None:
    with override("en"):
        assert "13:30" in as_html("2026-01-05T12:30:00+00:00", "sold_at")


def test_an_object_is_rows_and_a_list_of_objects_a_table() -> None:
    with override("en"):
        html = as_html({"stranger": {"amount_cents": 100}, "rows": [{"a": 1}, {"a": 2, "b": "<"}]})
    assert html.startswith('<table class="house-document"><tr><th>stranger</th><td><table')
    assert "<td>€1.00</td>" in html
    assert "<thead><tr><th>a</th><th>b</th></tr></thead>" in html
    assert "<tr><td>1</td><td>–</td></tr><tr><td>2</td><td>&lt;</td></tr>" in html


def test_the_plan_of_an_emission_names_all_its_keys_in_the_language_of_the_page() -> None:
    """Each key of the document has a word of its own, and none reads as the program spells it."""
    plan = {"tiers": [{"cash_cents": 100, "in_kind": {"equivalent_cents": 1}}], "classes": []}
    with override("ca"):
        page = as_html(plan)
    for key in ("tiers", "cash cents", "in kind", "equivalent cents"):
        assert f">{key}<" not in page
    assert "trams de premis" in page and "classes de blocs" in page


@pytest.mark.parametrize(("flag", "words"), [(True, "Sí"), (False, "No"), (None, "–")])
def test_a_flag_is_a_word_and_no_drawing(flag: bool | None, words: str) -> None:
    """A screen reader said *close_small* for a no, which stood there in red."""
    with override("ca"):
        html = render_to_string("unfold/helpers/boolean.html", {"value": flag})
    assert f">{words}</span>" in html and "material-symbols" not in html
