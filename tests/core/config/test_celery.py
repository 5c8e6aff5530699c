"""Check that tasks are sent by the project's Celery application in every thread of a web server."""

import json
import os
import subprocess
import sys
from threading import Thread

import psycopg
import pytest
from django.conf import settings
from django.core.servers.basehttp import get_internal_wsgi_application

from core.config.celery import app
from core.journal import tasks
from core.longwork.tasks import do
from core.nights.tasks import night
from core.tools.deploying.processes import PROCESSES
from core.tools.embedded.server import ROOT
from lototrot.tasks import settle
from tests.support.databases import Database


@pytest.mark.django_db  # the application checks its database first
def test_every_thread_sends_to_the_broker_of_the_settings() -> None:
    get_internal_wsgi_application()
    brokers: list[str] = []
    thread = Thread(target=lambda: brokers.append(tasks.seal.app.conf.broker_url))
    thread.start()
    thread.join()
    assert brokers == [settings.CELERY_BROKER_URL]


def test_nights_and_long_work_have_queues_of_their_own_and_everything_else_shares_one() -> None:
    queues = [app.amqp.router.route({}, each.name)["queue"] for each in (night, do, settle)]
    assert [queue.name for queue in queues] == ["nights", "long", "quick"]
    assert [queue.routing_key for queue in queues] == ["nights", "long", "quick"]
    assert sorted(app.amqp.queues) == ["long", "nights", "quick"]  # of a worker that is told none


def test_each_queue_has_a_worker_that_takes_from_no_other() -> None:
    workers = [each.words for each in PROCESSES.values() if each.works]
    taken = [words[words.index("--queues") + 1] for words in workers]
    assert sorted(taken) == sorted(app.amqp.queues)
    assert sorted(app.conf.beat_schedule) == ["night", "sweep"]


def test_a_task_expires_and_ends() -> None:
    assert (settle.expires, settle.time_limit) == (60, 1800)
    assert night.time_limit > 4 * 3600


def test_a_command_starts_without_celery_and_what_is_loaded_is_left_alone() -> None:
    """Celery is a third of what a start takes, and most commands send no task, nor does `live`.

    The garbage collector examines nothing of what is loaded, and from then on what is new.
    """
    script = """
from core.kernel import loading
loading.begin()
import django, gc, json, sys
django.setup()
import core.screens.management.commands.live
full = gc.get_stats()[2]["collections"]
loaded = sorted({'celery', 'kombu', 'redis', 'rich.console'} & {*sys.modules})
print(json.dumps([loaded, full, gc.get_freeze_count() > len(gc.get_objects()), gc.get_threshold()]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [[], 0, True, [10_000, 20, 20]]


def test_a_worker_does_not_start_on_an_unfit_server(own_database: Database) -> None:
    """Celery logs what such a check raises, and works on: that worker settled without guards."""
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("ALTER TABLE ledger_transfer DISABLE TRIGGER ALL")
    app = (sys.executable, "-m", "celery", "--app", "core.config.celery")
    started = subprocess.run(
        [*app, "worker", "--concurrency", "1", "--without-gossip", "--without-mingle"],
        cwd=ROOT,
        env=os.environ | own_database.environment | {"BROKER_URL": "memory://"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert started.returncode == 1
    assert "not fit to serve: tables without guards: ['ledger_transfer']" in started.stderr


def test_beat_asks_for_the_nights_at_the_minute_of_the_setting() -> None:
    assert app.conf.beat_schedule["night"]["schedule"].minute == {settings.NIGHTS_AT_MINUTE}
