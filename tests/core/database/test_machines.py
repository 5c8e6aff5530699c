"""Say in words and figures how the machines are."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from core.database import clock
from core.database.due_work import note_worker
from core.database.machines import machines
from core.database.models import ClockWatch
from core.timekeeping.alarms import workers_silent

STANDBYS = "current_setting('synchronous_standby_names')"


@pytest.mark.parametrize(
    ("standbys", "commit", "reason"),
    [
        ("", "on", "no synchronous standby"),
        ("ANY 1 (two, three)", "on", ""),
        ("*", "remote_apply", ""),
        ("*", "local", "synchronous_commit is local"),
        ("*", "off", "synchronous_commit is off"),
    ],
)
def test_a_sale_is_on_two_machines_if_its_commit_waits_for_a_standby(
    db: None, standbys: str, commit: str, reason: str
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL synchronous_commit = {commit}")
    with connection.execute_wrapper(
        lambda execute, query, *rest: execute(query.replace(STANDBYS, f"'{standbys}'"), *rest)
    ):
        assert machines().without_second == reason


def test_a_receiver_of_the_log_is_an_archive_and_no_standby(db: None) -> None:
    assert not machines().archived
    seen = (
        "(VALUES ('db2'), ('barman_receive_wal'), ('barman_streaming_backup')) a(application_name)"
    )
    with connection.execute_wrapper(
        lambda execute, query, *rest: execute(query.replace("pg_stat_replication", seen), *rest)
    ):
        state = machines()
    assert (state.replicas, state.received, state.archived) == (1, True, True)


def test_a_worker_is_silent_after_a_minute(db: None) -> None:
    watch = ClockWatch.objects.create(newest_at=clock.now(), watched_at=clock.now())
    assert machines().worker_silent_s is None
    assert not machines().works
    assert workers_silent() == []  # there never was one
    note_worker()
    assert machines().works
    assert workers_silent() == []
    ClockWatch.objects.filter(pk=watch.pk).update(swept_at=clock.now() - timedelta(seconds=61))
    assert not machines().works
    assert len(workers_silent()) == 1


def test_the_state_is_in_the_metrics(client: Client, db: None) -> None:
    text = client.get("/metrics").content.decode()
    for line in ("database_second_machine 0.0", "database_replicas 0.0", "database_archiving 0.0"):
        assert line in text
    assert "database_xid_age " in text
    assert "journal_unsealed_seconds " in text
