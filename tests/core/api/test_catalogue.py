"""List the codes of all errors, and write them as docs/problems.md."""

import os
import subprocess
import sys

import pytest

from core.api import catalogue
from core.kernel.errors import Conflict, NotFound
from core.tools.embedded.server import ROOT
from core.traffic.limits import Throttled


def test_an_entry_says_status_and_title_and_whether_to_try_again() -> None:
    entry = catalogue.entries()["throttled"]
    assert entry == catalogue.Entry("throttled", 429, Throttled.message, transient=True)
    assert not catalogue.entries()["route_unknown"].transient


def test_classes_that_share_a_code_share_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    class Taken(Conflict):
        code = "same_code"

    class Missing(NotFound):
        code = "same_code"

    monkeypatch.setattr(catalogue, "classes", lambda: [Taken, Missing])
    with pytest.raises(ValueError, match="'same_code' has two statuses"):
        catalogue.entries.__wrapped__()


def test_it_needs_nothing_that_the_image_may_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Traces are an option: without their packages every page of problems was a fault."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "core.tracing.spans", raising=False)
    assert catalogue.classes()


@pytest.mark.servers
def test_a_process_for_sales_has_the_same_codes() -> None:
    """It has no pages of staff. Every prize refused at a counter was a fault there."""
    script = (
        "import django; django.setup(); from core.api import catalogue; "
        "print(len(catalogue.entries()))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"PROCESS_ROLE": "sales"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(answer.stdout) == len(catalogue.entries())


def test_codes_are_well_formed_and_listed() -> None:
    for code, entry in catalogue.entries().items():
        assert code.replace("_", "").isalnum(), code
        assert code == code.lower()
        assert 400 <= entry.status < 600


def test_docs_problems_is_the_table_of_the_code() -> None:
    kept = (ROOT / "docs" / "problems.md").read_text()
    assert kept == catalogue.as_markdown(), "run: make documents"
