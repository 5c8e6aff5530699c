"""Start PostgreSQL for the tests, give them databases, and report what was left out.

This file is imported before Django reads its settings, and before any conftest below it. With
LOTOTROT_TESTS=quick (`make quick`) only tests that need no server run, and none is started.
"""

import gc
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django import DjangoDbBlocker

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import ROOT, Server, var_folder
from tests.support.running.effort import QUICK, tries

# Nothing listens there: a quick test that asks for a database fails.
_NO_SERVER = "postgresql://nobody@/none?host=%2Fnonexistent"
_SETTINGS = {
    "shared_buffers": "256MB",
    # The data stand in memory where there is room.
    "max_wal_size": "1GB",
    # Each new database makes a checkpoint, after which pages are logged whole: to compress them
    # takes more than to write them, in memory.
    "wal_compression": "off",
    # Its workers would hold databases that a test wants to drop.
    "autovacuum": "off",
    # The passwords of this server protect nothing. With the rounds that are usual, half of the
    # time of a connection goes into its password.
    "scram_iterations": "1",
}

# Modules and tests stay: until all are collected, the garbage collector looks nearly in vain.
gc.set_threshold(500_000, 20, 20)
# The processes of the tests, and those that they start, compile each module once.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
os.environ["PROFILE"] = "development"
os.environ.setdefault("VAR_DIR", str(ROOT / "var" / "test"))
os.environ.setdefault("LIMITS_URL", "memory://")
os.environ.setdefault("ANONYMOUS_PER_S", "10000")  # tests ask at the speed of the machine
os.environ.setdefault("ANONYMOUS_TOTAL_PER_S", "10000")
os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"  # that of trio imports all of it, for nothing here
os.environ["CLOCK_WATCH"] = "false"  # a test that serves in this process has its own database
(var_folder() / "static").mkdir(parents=True, exist_ok=True)  # WhiteNoise warns if it is missing
_server: Postgres | None = None
if QUICK:
    os.environ["DATABASE_URL"] = os.environ["DATABASE_OWNER_URL"] = _NO_SERVER

    def _refuse(server: Server) -> None:
        raise RuntimeError("a test that starts a server is not quick: mark it with `servers`")

    Server.start = _refuse  # type: ignore[assignment]
elif not os.environ.get("DATABASE_URL"):  # a worker of xdist has its controller's
    _server = Postgres(settings=_SETTINGS, in_memory=True)
    _server.start()
    os.environ["DATABASE_URL"] = _server.app_url
    os.environ["DATABASE_OWNER_URL"] = _server.owner_url
os.environ.setdefault("DATABASE_OWNER_URL", os.environ["DATABASE_URL"])

import django  # noqa: E402
import hypothesis  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import translation  # noqa: E402
from hypothesis.internal.conjecture import providers  # noqa: E402

# Before the applications hash their first password.
settings.PASSWORD_HASHERS = ["tests.support.passwords.CheapArgon2PasswordHasher"]
django.setup()

import core.config.celery  # noqa: E402  (tasks are this application's, and acts)
import core.config.urls  # noqa: E402, F401  (with it come the pages of the administration)
from core.database import clock, kept  # noqa: E402
from core.journal.acting import name_process  # noqa: E402
from core.traffic import limits  # noqa: E402
from core.traffic.standing import good_credentials  # noqa: E402
from tests.support import databases  # noqa: E402
from tests.support.factories.clocks import use_the_machines_clock  # noqa: E402
from tests.support.running.deep_calls import with_room  # noqa: E402
from tests.support.static import share_static_files  # noqa: E402

# A busy machine makes an example take long, and no example wrong.
hypothesis.settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=tries(100),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("unhurried")
if QUICK:
    # Each process would read all modules for constants to try, which takes it two seconds.
    providers._get_local_constants = lambda: providers._local_constants
name_process("command:tests")
share_static_files()
pytest_plugins = ["tests.support.api", "tests.support.running.lasting"]

# This process among those of xdist, as `gw1`; empty for the one that a person started.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_run = None if QUICK or _WORKER else databases.open_run()
# Long tests are started first and in this order, so that no worker is left alone with one at the
# end. They often wait, for servers or for pages: one worker begins with the first lane and another
# with the second, and while both wait the others have tests that do not.
_LANES = (
    (
        # It waits for all open transactions of the server: at first none is of a whole module.
        *("tests/lototrot/selectors/test_running", "tests/core/tools/embedded/test_stack"),
        *("tests/simulation", "tests/concurrency", "tests/core/tools/embedded"),
        # At the end two workers would share them, and each would parse all files.
        *("tests/test_tidy", "tests/test_words"),
    ),
    ("tests/browser/test_race_day_tour", "tests/browser"),
)
# Not quick, whatever fixtures they use: they start servers, processes or browsers themselves.
_OWN_SERVERS = (
    *("tests/simulation", "tests/concurrency", "tests/browser", "tests/core/tools/embedded"),
    *("tests/deployment/test_deploy.py", "tests/deployment/test_restore.py"),
    "tests/core/api/test_schema.py",
    # All their tests take a database by fixtures of their own; to import them takes longest.
    *("tests/core/api/test_every_operation.py", "tests/core/journal/test_tampering.py"),
)
_MARKED = re.compile(r"^pytestmark = \[?pytest\.mark\.django_db\b", re.MULTILINE)
_NEVER_QUICK = frozenset(ROOT / path for path in _OWN_SERVERS)
_DATABASE_FIXTURES = frozenset({"db", "transactional_db", "django_db_setup", "own_database"})


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "article(*numbers): the articles of the regulation that the test proves"
    )
    config.addinivalue_line(
        "markers", "servers: the test starts servers, or processes that need one"
    )


def pytest_xdist_auto_num_workers() -> int:
    """Run one process more than there are processors: tests wait for servers, locks and pages.

    Those of `make quick` wait for nothing.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux has it
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    return processors if QUICK else processors + 1


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Import no file of which no test is quick."""
    if not QUICK:
        return None
    return True if collection_path in _NEVER_QUICK or _all_marked(collection_path) else None


def _all_marked(path: Path) -> bool:
    """Whether a file's tests are all marked as those that need a database."""
    is_test = path.name.startswith("test_") and path.suffix == ".py"
    return is_test and _MARKED.search(path.read_text("utf-8")) is not None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each process begin with other files of a folder than the others do.

    In a new checkout a file is compiled by the process that comes to it first: if they came to each
    at the same moment, all would compile it.
    """
    report = yield
    if _WORKER and isinstance(collector, pytest.Directory):
        first = len(report.result) * int(_WORKER.removeprefix("gw")) // _WORKERS
        report.result = report.result[first:] + report.result[:first]
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the folders of long tests; of the quick ones, leave out what needs a server."""
    if QUICK:
        left_out = [item for item in items if _needs_a_server(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not _needs_a_server(item)]
    if _WORKER:  # the order must be the same in all; what draws one at random comes after this
        items.sort(key=lambda item: item.nodeid.partition("::")[0])
    items[:] = _in_lanes(items, _WORKERS)


def _in_lanes(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests with the lanes where the first two of `workers` begin.

    At first xdist gives each worker an equal part of the tests, one after another.
    """
    first, second = (_lane(paths, items) for paths in _LANES)
    long = {*first, *second}
    rest = [item for item in items if item not in long]
    between = max(0, len(items) // workers - len(first)) if workers > 1 else 0
    return [*first, *rest[:between], *second, *rest[between:]]


def _lane(paths: tuple[str, ...], items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests under `paths`, in the order of these."""

    def turn(item: pytest.Item) -> int:
        return next(n for n, path in enumerate(paths) if item.nodeid.startswith(path))

    return sorted((item for item in items if item.nodeid.startswith(paths)), key=turn)


def _needs_a_server(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    marked = any(item.get_closest_marker(name) for name in ("django_db", "servers"))
    return marked or not _DATABASE_FIXTURES.isdisjoint(fixtures)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking at modules and tests again and again.

    Tests make many objects and few circles: it looks at new ones thirty times less often.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class _Room:
    """Run all tests in one call that has room for the deep calls of each."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> object:
        plugins = session.config.pluginmanager
        without = [self, plugins.get_plugin("terminalreporter")]  # this one ends the line of dots
        return with_room(plugins.subset_hook_caller("pytest_runtestloop", without), session=session)


class _Named:
    """Name a failed test at once: a run that is ended from outside has then said which failed."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.write_line(f" {report.when} of {report.nodeid} failed", red=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Keep a test whose end fails from failing others."""
    try:
        return (yield)
    finally:
        databases.allow_connections()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(_Room())
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_Named(terminal))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line for each reason how many tests were skipped, and the seeds drawn."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"{number} skipped: {reason}", yellow=True)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, value in report.user_properties:
                    if name == "seed":
                        terminalreporter.write_line(f"{report.nodeid}: {value}")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """End what the run had, when pytest has collected its garbage for the last time.

    All that is left ends with the process. To collect it again and again takes seconds.
    """
    if _run is not None:
        databases.close_run(_run)
    if _server is not None:
        _server.stop()
    gc.freeze()


@pytest.fixture(autouse=True)
def _memory_anew() -> Iterator[None]:
    """Forget what earlier tests took, all from one address, and the facts that they kept.

    The language of a test's last request is not the next test's, nor is the command's name that it
    took.
    """
    limits.clear()
    good_credentials.clear()
    kept.forget_all()
    yield
    translation.deactivate()
    name_process("command:tests")


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The database of the `db` fixture, whose tests are rolled back: a clone for this process."""
    with django_db_blocker.unblock(), databases.clone(), django_db_blocker.block():
        yield


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let fixtures of module scope write what all tests of their module begin with.

    What a test writes is undone after it, as ever; what was shared is undone after the last one.
    Give each test a copy of a shared instance, as tests change theirs.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


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


@pytest.fixture
def facts_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what a process keeps for some seconds, for tests that count queries: on a slow machine
    the seconds pass between two of their pages, and one more question is asked.
    """
    monkeypatch.setattr(clock, "_KEPT_S", math.inf)
    monkeypatch.setattr(kept, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.fixture
def machine_clock(own_database: databases.Database) -> None:
    """The database's clock is the machine's, where a test compares the two: not ten o'clock."""
    use_the_machines_clock()
