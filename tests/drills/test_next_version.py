"""Tests of the next version: it has another version, a column with its index, and migrations."""

from pathlib import Path

from core.config.version import program_version
from core.tools.embedded.server import ROOT
from tests.drills import next_version


def test_the_next_version_differs_by_columns_that_its_sale_fills(tmp_path: Path) -> None:
    version = next_version.write(tmp_path / "next", 2)
    assert version.startswith(program_version())
    assert version != program_version()
    written = tmp_path / "next" / "lototrot"
    sale = (written / "sql" / "sell.sql").read_text()
    assert "code_commitment, next_1, next_2)" in sale
    assert "p_commitment, 1, 2)" in sale
    models = (written / "models" / "tickets.py").read_text()
    assert models.count("next_1 = ") == models.count("next_2 = ") == 1
    added = {path.name for path in (written / "migrations").glob("*.py")}
    added -= {path.name for path in (ROOT / "lototrot" / "migrations").glob("*.py")}
    assert [name.partition("_")[2] for name in sorted(added)] == [
        "next_1.py",
        "next_1_index.py",
        "next_2.py",
        "next_2_index.py",
    ]
