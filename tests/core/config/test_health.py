"""Ask the health probes, with and without the parts that they need."""

import json
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from core.config import health, startup, tasks
from core.database import clock
from core.database.models import ClockWatch
from tests.support.databases import Database


@pytest.mark.django_db
class TestHealth:
    def test_alive(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(0):
            assert client.get("/livez").json() == {
                "status": "ok",
                "version": settings.VERSION,
            }

    def test_alive_is_answered_before_the_application_and_alike(self, client: Client) -> None:
        heads: list[tuple[str, dict[str, str]]] = []

        def application(environ: dict[str, Any], start: Any) -> list[bytes]:
            start("421 Misdirected", [])
            return []

        def ask(method: str, path: str) -> bytes:
            environ = {"REQUEST_METHOD": method, "PATH_INFO": path}
            answer = health.alive_early(application)(
                environ, lambda status, headers: heads.append((status, dict(headers)))
            )
            return b"".join(answer)

        body = ask("GET", "/livez")
        assert json.loads(body) == client.get("/livez").json()
        assert heads == [
            ("200 OK", {"Content-Type": "application/json", "Content-Length": str(len(body))})
        ]
        assert (ask("HEAD", "/livez"), heads[1]) == (b"", heads[0])
        for method, path in (("POST", "/livez"), ("GET", "/livez/"), ("GET", "/readyz")):
            ask(method, path)
            assert heads[-1][0].startswith("421"), (method, path)

    def test_ready_without_a_broker_but_degraded(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(health, "_broker", lambda: "unavailable")
        response = client.get("/readyz")
        assert response.status_code == 200
        assert response.json() == {
            "status": "degraded",
            "checks": {
                "database": "ok",
                "migrations": "ok",
                "server": "ok",
                "broker": "unavailable",
                "workers": "no worker has answered for a minute",
                "second_machine": "without a second machine",
            },
        }

    def test_ready_but_degraded_while_no_worker_answers(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(health, "_broker", lambda: "ok")
        watch = ClockWatch.objects.create(newest_at=clock.now(), watched_at=clock.now())
        assert client.get("/readyz").json()["status"] == "degraded"
        monkeypatch.setattr(tasks, "send_due", lambda: 0)
        tasks.sweep()
        with connection.cursor() as cursor:  # which it switched off for its own transaction
            cursor.execute("SET LOCAL synchronous_commit = on")
        assert client.get("/readyz").json()["status"] == "ok"
        ClockWatch.objects.filter(pk=watch.pk).update(swept_at=clock.now() - timedelta(seconds=61))
        answer = client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["status"] == "degraded"

    def test_a_broker_that_nobody_runs(self) -> None:
        from core.config.celery import app

        before = app.conf.broker_url
        app.conf.broker_url = "redis://127.0.0.1:1/0"
        try:
            assert health._broker() == "unavailable"
        finally:
            app.conf.broker_url = before

    def test_not_ready_without_the_database(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away() -> None:
            raise OperationalError("no route to db.internal")

        monkeypatch.setitem(health._CHECKS, "database", away)
        response = client.get("/readyz")
        assert response.status_code == 503
        assert response.json()["checks"]["database"] == "unavailable"
        assert b"db.internal" not in response.content


def test_not_ready_on_a_server_that_takes_no_writes(own_database: Database) -> None:
    connection.ensure_connection()
    assert connection.connection is not None
    connection.connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")  # the session was found usable before
    with pytest.raises(startup.ReadOnly):
        startup.verify_primary()
    assert connection.connection is None
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        owner.execute(
            f'ALTER DATABASE "{own_database.name}" SET default_transaction_read_only = on'
        )
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["database"] == "unavailable"


def test_not_ready_while_migrations_are_missing(own_database: Database) -> None:
    from django.db import connections

    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'api'")
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["migrations"] == "migrations are missing"
