"""Tell a supervisor whether this process is alive, and whether it is ready for requests."""

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from kombu.exceptions import OperationalError as BrokerError

from core.api import metrics
from core.config.startup import ReadOnly, verify_primary, verify_server
from core.database.engine.own_session import SessionPooled
from core.database.kept import kept
from core.database.machines import machines
from core.database.management.migrated import migrations_missing
from core.database.reading import standby
from core.traffic.seats import Wsgi

LIVEZ: Final = "/livez"
_BROKER_KEPT_S = 5
_BROKER_TIMEOUT_S = 1.0
_ALIVE = "alive early"

log = structlog.get_logger("health")


class NotReady(Exception):
    """A check failed; the text is its plain reason, without secrets."""


def livez(request: HttpRequest) -> HttpResponse:
    """Return 200 and the program's version while the process answers. Run no check."""
    return JsonResponse(_alive())


def alive_early(application: Wsgi) -> Wsgi:
    """Wrap the application so that `/livez` is answered without it, as `livez` answers.

    Terminals ask it whether their line is up, at the processes for sales. So it costs as little as
    a refusal, and need not be limited.
    """
    body = json.dumps(_alive()).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        if environ["PATH_INFO"] != LIVEZ or method not in ("GET", "HEAD"):
            return application(environ, start_response)
        metrics.observe(method, _ALIVE, 200, 0.0)
        start_response("200 OK", headers)
        return [body if method == "GET" else b""]

    return answer


def _alive() -> dict[str, str]:
    return {"status": "ok", "version": settings.VERSION}


def readyz(request: HttpRequest) -> HttpResponse:
    """Return 200 if sales can be taken (the database takes writes, is migrated and fit), else 503.

    A sale succeeds without broker and workers, so their absence only makes the status `degraded`. A
    database on one machine is said and changes no status: where it is not meant, it is not fit.
    """
    checks = {name: _outcome(check) for name, check in _CHECKS.items()}
    ready = all(outcome == "ok" for outcome in checks.values())
    behind = {"broker": _broker(), "workers": _outcome(_workers)}
    whole = all(outcome == "ok" for outcome in behind.values())
    status = ("ok" if whole else "degraded") if ready else "unavailable"
    states = checks | behind | {"second_machine": _outcome(_on_two_machines)}
    if read_standby():
        states |= {"read_standby": read_standby()}
    return JsonResponse({"status": status, "checks": states}, status=200 if ready else 503)


def _outcome(check: Callable[[], None]) -> str:
    try:
        check()
    except NotReady as error:
        return str(error)
    except SessionPooled as error:
        return error.code
    except (DatabaseError, ImproperlyConfigured) as error:
        log.warning("not ready", check=check.__name__, exc_info=error)
        return "unavailable" if isinstance(error, DatabaseError) else "unfit"
    return "ok"


def _reachable() -> None:
    try:
        verify_primary()
    except ReadOnly:
        raise NotReady("read-only") from None


def _workers() -> None:
    if not machines().works:
        raise NotReady("no worker has answered for a minute")


def _on_two_machines() -> None:
    if machines().without_second:
        raise NotReady("without a second machine")


def read_standby() -> str:
    """Return whether this process reads much on the standby, or why not; empty without one."""
    return (standby.unfit_reason() or "ok") if standby.has_standby() else ""


def _migrated() -> None:
    _all_applied()


@kept(most=1)
def _all_applied() -> bool:
    """Raise NotReady while migrations are missing. A complete state is remembered."""
    if migrations_missing():
        raise NotReady("migrations are missing")
    return True


_CHECKS = {"database": _reachable, "migrations": _migrated, "server": verify_server}


@kept(most=1, seconds=_BROKER_KEPT_S)
def _broker() -> str:
    """Return the state of the broker, a few seconds old at most."""
    from core.config.celery import app

    try:
        with app.connection_for_write(connect_timeout=_BROKER_TIMEOUT_S) as broker:
            broker.ensure_connection(max_retries=0, timeout=_BROKER_TIMEOUT_S)
    except (BrokerError, OSError):
        return "unavailable"
    return "ok"
