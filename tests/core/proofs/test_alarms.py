"""Raise an alarm while a receiver of the public log lacks entries."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.db import transaction
from django.utils import translation

from core.database import clock
from core.proofs import alarms, delivery, log


@pytest.mark.django_db
def test_a_receiver_that_lags_is_an_alarm_with_its_error(tmp_path: Path, settings: Any) -> None:
    folder = tmp_path / "log"
    translation.activate("en")
    settings.LOG_RECEIVERS = [str(folder)]
    with transaction.atomic():
        log.publish(kind="a.thing", subject="one", document={"format": "x"})
    assert alarms.receivers_lagging() == []
    with mock.patch.object(alarms, "LAGS_AFTER", timedelta()):
        (row,) = alarms.receivers_lagging()
        assert (row.subject, "never tried" in str(row.words)) == (str(folder), True)
        (receiver,) = delivery.deliveries_due()
        assert delivery.deliver(receiver_id=receiver) == 0
        (row,) = alarms.receivers_lagging()
        assert str(folder) in str(row.words)
        assert row.since <= clock.now()
        folder.mkdir()
        assert delivery.deliver(receiver_id=receiver) > 0
        assert alarms.receivers_lagging() == []
