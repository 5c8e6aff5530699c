"""Real servers in folders of their own, and patience that is bounded."""

import os
import time
from collections.abc import Callable, Iterator, Mapping

import pytest

from core.tools.embedded.postgres import Postgres

SMALL = {"shared_buffers": "32MB", "max_connections": "20"}


def wait_for(condition: Callable[[], object], within_s: float = 60) -> None:
    """Return when `condition` holds; the bound says only when to call it a failure."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.05)


@pytest.fixture
def eventually() -> Callable[..., None]:
    return wait_for


@pytest.fixture(scope="module")
def bare_environment() -> Mapping[str, str]:
    """Our environment without any word of where servers are."""
    named = {"DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "VAR_DIR", "PORT", "PROFILE"}
    return {key: value for key, value in os.environ.items() if key not in named}


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A server that is not running; what a test leaves in it, the module's next tests find."""
    server = Postgres(tmp_path_factory.mktemp("postgres"), SMALL)
    yield server
    server.destroy()
