"""Tests of the table of articles: a finished one has code, and a test that cites it."""

from pathlib import Path

from core.tools.articles.tracing import Article, articles, citations, faults
from core.tools.embedded.server import ROOT


def test_nothing_is_missing() -> None:
    assert faults(ROOT) == []


def test_a_done_article_without_a_test_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "docs" / "regulation.md").write_text(
        "| 14.I.1 | text | | docs/regulation.md gone.py | done |\n| 14.I.2 | text | A1 | | open |\n"
    )
    (tmp_path / "tests" / "test_it.py").write_text(
        "import pytest\n@pytest.mark.article('14.I.9')\ndef test_it(): pass\n"
    )
    assert faults(tmp_path) == [
        "14.I.1 is done and no test cites it",
        "14.I.1: there is no gone.py",
        "tests/test_it.py::test_it cites 14.I.9, which docs/regulation.md does not have",
    ]


def test_rows_and_marks_are_read(tmp_path: Path) -> None:
    page = tmp_path / "regulation.md"
    page.write_text("| article | x |\n| --- | --- |\n| 15.III.6.7 | to us | P9 | | open |\n")
    assert articles(page) == [Article("15.III.6.7", "to us", "P9", "", "open")]
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_a.py").write_text(
        "import pytest\npytestmark = [pytest.mark.article('14.I.1', '14.I.2')]\n"
    )
    assert list(citations(tests)) == [("14.I.1", "tests/test_a.py"), ("14.I.2", "tests/test_a.py")]
