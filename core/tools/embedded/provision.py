"""Start the servers that an environment does not name."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.valkey import Valkey


@dataclass(frozen=True, slots=True)
class Provision:
    """`environment` names both servers; `postgres` and `valkey` are None where not embedded."""

    environment: dict[str, str]
    postgres: Postgres | None
    valkey: Valkey | None


@contextmanager
def provided(folder: Path, environment: Mapping[str, str]) -> Iterator[Provision]:
    """Start the servers that `environment` does not name in `folder`; leave them at the end."""
    complete = dict(environment)
    postgres = None if complete.get("DATABASE_URL") else Postgres(folder / "postgres")
    valkey = None if complete.get("BROKER_URL") else Valkey(folder / "valkey")
    if complete.get("PROFILE") == "production" and (postgres or valkey):
        raise EmbeddedError(
            "Production needs DATABASE_URL and BROKER_URL: embedded servers are for one machine."
        )
    if postgres or valkey:
        complete.setdefault("PROFILE", "development")
    with ExitStack() as stack:
        if postgres:
            stack.enter_context(postgres)
            complete["DATABASE_URL"] = postgres.app_url
            complete["DATABASE_OWNER_URL"] = postgres.owner_url
        if valkey:
            stack.enter_context(valkey)
            complete["BROKER_URL"] = valkey.url
        yield Provision(complete, postgres, valkey)
