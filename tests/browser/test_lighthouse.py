"""Tests of what `make lighthouse` takes for enough. They need no browser."""

from typing import Any

from tests.support.browser import lighthouse


def page(name: str, *scores: int | None, error: str = "") -> dict[str, Any]:
    by_category = dict(zip(lighthouse.CATEGORIES, scores, strict=False))
    judged = {"failed": ["color-contrast"], "speed": 1234.5, "error": error}
    return {"name": name, "scores": by_category, **judged}


def test_a_page_below_the_least_or_without_a_score_is_too_low() -> None:
    pages = [
        page("good", 95, 100, 96),
        page("slow", 94, 100, 100),
        page("gone", None, 100, error="no page"),
    ]
    assert lighthouse.too_low(pages) == [
        "slow: performance 94",
        "gone: performance None no page",
        "gone: best-practices None no page",
    ]
    assert lighthouse.too_low(pages[:1]) == []


def test_the_table_names_what_was_found_under_its_page() -> None:
    head, scores, under = lighthouse.table([page("board-phone", 98, 100, 96)])
    assert head.split() == [*lighthouse.CATEGORIES, "speed"]
    assert scores.split() == ["board-phone", "98", "100", "96", "1234"]
    assert under.strip() == "color-contrast"
