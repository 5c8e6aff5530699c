"""Write the journal to a file: forms before their blocks, heads after them, acts in clear."""

import io
import json
import resource
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from core.journal import acting, wire
from core.journal.export import export
from core.journal.models import Act, Batch
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import seal_all


def exported() -> tuple[int, list[dict[str, Any]]]:
    """Return the number of batches that the export tells, and the lines that it writes."""
    file = io.StringIO()
    number = export(file)
    return number, [json.loads(line) for line in file.getvalue().splitlines()]


def test_forms_come_before_blocks_and_heads_after_them(own_database: Database) -> None:
    for _ in range(2):
        factories.premises()
        seal_all()
    number, lines = exported()
    heads = [line for line in lines if "digest" in line]
    assert number == len(heads) == Batch.objects.count()
    assert [head["digest"] for head in heads] == [
        bytes(batch.digest).hex() for batch in Batch.objects.order_by("number")
    ]
    forms = set()
    for line in lines:
        if "form" in line and "block" not in line:
            assert line["form"] not in forms, "each form is written once"
            forms.add(line["form"])
        if "block" in line:
            assert line["block"] in forms
    assert "digest" in lines[-1]


def test_acts_are_in_clear_and_other_rows_are_digests(own_database: Database) -> None:
    with acting.acting("of the test"), transaction.atomic():
        place = factories.premises()
    seal_all()
    _, lines = exported()
    images = [json.loads(text) for line in lines for text in line.get("images", [])]
    (source,) = [image["id"] for image in images if image.get("name") == "of the test"]
    assert Act.objects.get(source__name="of the test").pk in {
        image["journal_xid"] for image in images if image.get("source_id") == source
    }
    assert place.name not in json.dumps([line for line in lines if "images" not in line])
    for line in lines:
        if "images" in line:
            entries = list(wire.entries_of(bytes.fromhex(line["entries"])))
            assert len(line["images"]) == len(entries)


def test_an_export_onto_a_full_disk_leaves_no_file_that_looks_like_one(
    own_database: Database, tmp_path: Path
) -> None:
    seal_all()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(CommandError, match="nothing was exported"):
            call_command("journal_export", str(tmp_path / "file"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
