"""What every test stands on: PostgreSQL, and the databases in it.

This file is imported before Django reads its settings, and before any conftest below it.
"""

import os
from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import ROOT

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
os.environ.setdefault("VAR_DIR", str(ROOT / "var" / "test"))
_server: Postgres | None = None
if not os.environ.get("DATABASE_URL"):  # a worker of xdist has its controller's
    # Its workers would hold databases that a test wants to drop.
    _server = Postgres(settings={"shared_buffers": "256MB", "autovacuum": "off"})
    _server.start()
    os.environ["DATABASE_URL"] = _server.app_url
    os.environ["DATABASE_OWNER_URL"] = _server.owner_url
os.environ.setdefault("DATABASE_OWNER_URL", os.environ["DATABASE_URL"])

import django  # noqa: E402

django.setup()

from core.journal.acting import name_process  # noqa: E402
from tests.support import databases  # noqa: E402

name_process("tests")
pytest_plugins = ["tests.support.api"]

_run = None if "PYTEST_XDIST_WORKER" in os.environ else databases.open_run()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "article(*numbers): the articles of the regulation that the test proves"
    )


def pytest_unconfigure() -> None:
    if _run is not None:
        databases.close_run(_run)
    if _server is not None:
        _server.stop()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The database of the `db` fixture, whose tests are rolled back: a clone for this process."""
    with django_db_blocker.unblock(), databases.clone(), django_db_blocker.block():
        yield


@pytest.fixture
def own_database(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[databases.Database]:
    """A database for this test alone, for real commits, threads and other processes.

    Both aliases point at it. Do not combine it with `db`: that is one transaction, elsewhere.
    """
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        raise pytest.UsageError("own_database and db exclude each other")
    with django_db_blocker.unblock(), databases.clone() as database:
        yield database
