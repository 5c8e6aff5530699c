"""The next version of the program, for the drill of an upgrade: a copy of the source with changes.

It has one more column of tickets with an index, made by migrations, and a function of the sale that
fills the column; its version differs.
"""

import re
import shutil
import tomllib
from pathlib import Path

from core.tools.cluster.proxy import replaced
from core.tools.embedded.server import ROOT

_PARTS = ("core", "lototrot", "promotrot", "manage.py", "pyproject.toml")
_MODELS, _SELL = "lototrot/models/tickets.py", "lototrot/sql/sell.sql"
_COLUMN_MIGRATION = '''"""Add a column to tickets, empty in those of before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lototrot", "{before}")]
    operations = [
        migrations.AddField("ticket", "{column}", models.IntegerField(null=True)),
    ]
'''
_INDEX_MIGRATION = '''"""Index the column while sales go on."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("lototrot", "{before}")]
    operations = [
        AddIndexConcurrently("ticket", models.Index(fields=["{column}"], name="ticket_{column}")),
    ]
'''


def column_of(number: int) -> str:
    """Return the column that the next version of that number adds."""
    return f"next_{number}"


def write(folder: Path, number: int) -> str:
    """Write the version after this program's, with so many columns more; return its version."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for part in _PARTS:
        if (ROOT / part).is_dir():
            unwanted = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, folder / part, ignore=unwanted)
        else:
            shutil.copy(ROOT / part, folder / part)
    for each in range(1, number + 1):
        _add_column(folder, column_of(each), each)
    named = folder / "pyproject.toml"
    _change(named, (r'(\nversion = "[^"]*)"', rf'\1+next{number}"'))
    return str(tomllib.loads(named.read_text())["project"]["version"])


def _add_column(folder: Path, column: str, value: int) -> None:
    """Add a column with its index and its two migrations, and have the sale fill it."""
    _change(
        folder / _MODELS,
        (
            r"(class Ticket\(.*?\n)(\n    class Meta:)",
            rf"\1    {column} = models.IntegerField(null=True)\n\2",
        ),
        (
            r'( +)(models\.Index\(fields=\["contest", "id"\], name="ticket_of_contest"\),\n)',
            rf'\1\2\1models.Index(fields=["{column}"], name="ticket_{column}"),\n',
        ),
    )
    _change(
        folder / _SELL,
        (r"(INSERT INTO lototrot_ticket \([^)]*)\)", rf"\1, {column})"),
        (r"(p_request,\s+p_commitment)((?:, \d+)*)\)\n", rf"\1\2, {value})\n"),
    )
    migrations = folder / "lototrot" / "migrations"
    for name, text in (column, _COLUMN_MIGRATION), (f"{column}_index", _INDEX_MIGRATION):
        before = max(migrations.glob("[0-9]*.py")).stem
        target = migrations / f"{int(before[:4]) + 1:04d}_{name}.py"
        target.write_text(text.format(before=before, column=column))


def _change(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for pattern, by in changes:
        text = replaced(pattern, by, text, flags=re.DOTALL)
    path.write_text(text)
