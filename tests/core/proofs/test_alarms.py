"""Raise an alarm while a receiver of the public log lacks entries."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.db import transaction
from django.utils import translation

from core.alarms.selectors import standing
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


@pytest.mark.django_db
def test_a_receiver_that_has_another_log_is_an_alarm_at_once(tmp_path: Path, settings: Any) -> None:
    """A person who goes on with yesterday's backup, publishes another log than all saw."""
    translation.activate("en")
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish = partial(log.publish, kind="a.thing", document={"format": "x"})
    with transaction.atomic():
        publish(subject="yesterday")
    (receiver,) = delivery.deliveries_due()
    delivery.deliver(receiver_id=receiver)
    with pytest.raises(RuntimeError, match="restored"), transaction.atomic():
        publish(subject="today")
        delivery.deliver(receiver_id=receiver)
        raise RuntimeError("restored")
    publish(subject="another day")
    assert delivery.deliver(receiver_id=receiver) == 0
    (waiting,) = [each for each in standing(alarms.ALARMS) if each.alarm.immediate]
    assert "another entry 3" in str(waiting.row.words)
    assert alarms.receivers_lagging() == []  # the same once, and not as one that lags
    (tmp_path / "000000003.json").unlink()  # its keeper gives it a folder of its own
    assert delivery.deliver(receiver_id=receiver) == 1
    assert standing(alarms.ALARMS) == []


@pytest.mark.django_db
def test_a_receiver_that_took_the_entry_has_no_other_log_where_it_then_goes_down(
    tmp_path: Path, settings: Any
) -> None:
    """The second page would stop sales and payments for a receiver that only does not answer."""
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish = partial(log.publish, kind="a.thing", document={"format": "x"})
    (tmp_path / "000000002.json").write_text("of another log")
    publish(subject="one")
    (receiver,) = delivery.deliveries_due()
    delivery.deliver(receiver_id=receiver)
    assert alarms.receivers_disputing() != []
    (tmp_path / "000000002.json").unlink()
    publish(subject="two")
    give = delivery._give

    def then_down(address: str, entry: Any) -> None:
        if entry.sequence == 3:
            raise OSError("down")
        give(address, entry)

    with mock.patch.object(delivery, "_give", then_down):
        assert delivery.deliver(receiver_id=receiver) == 1
    assert alarms.receivers_disputing() == []
    with mock.patch.object(alarms, "LAGS_AFTER", timedelta()):
        assert "down" in str(alarms.receivers_lagging()[0].words)
