"""Check that tasks are sent by the project's Celery application in every thread of a web server."""

from threading import Thread

import pytest
from django.conf import settings
from django.core.servers.basehttp import get_internal_wsgi_application

from core.journal import tasks


@pytest.mark.django_db  # the application checks its database first
def test_every_thread_sends_to_the_broker_of_the_settings() -> None:
    get_internal_wsgi_application()
    brokers: list[str] = []
    thread = Thread(target=lambda: brokers.append(tasks.seal.app.conf.broker_url))
    thread.start()
    thread.join()
    assert brokers == [settings.CELERY_BROKER_URL]
