"""Check that tasks are sent by the project's Celery application in every thread of a web server."""

from threading import Thread

import pytest
from django.conf import settings
from django.core.servers.basehttp import get_internal_wsgi_application

from core.config.celery import app
from core.journal import tasks
from core.nights.tasks import night
from lototrot.tasks import settle


@pytest.mark.django_db  # the application checks its database first
def test_every_thread_sends_to_the_broker_of_the_settings() -> None:
    get_internal_wsgi_application()
    brokers: list[str] = []
    thread = Thread(target=lambda: brokers.append(tasks.seal.app.conf.broker_url))
    thread.start()
    thread.join()
    assert brokers == [settings.CELERY_BROKER_URL]


def test_a_night_has_a_queue_of_its_own_and_everything_else_shares_one() -> None:
    queues = {each.name: app.amqp.router.route({}, each.name)["queue"] for each in (night, settle)}
    assert [queue.name for queue in queues.values()] == ["long", "quick"]
    assert [queue.routing_key for queue in queues.values()] == ["long", "quick"]
    assert sorted(app.amqp.queues) == ["long", "quick"]  # of a worker that is told none


def test_a_task_expires_and_ends() -> None:
    assert (settle.expires, settle.time_limit) == (60, 1800)
    assert night.time_limit > 4 * 3600
