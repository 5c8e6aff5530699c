"""Let every rule for Prometheus fire, and stay quiet, by Prometheus' own tool."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.tools.embedded.server import ROOT

RULES = ROOT / "docs" / "deploy" / "alerts.yml"
PROMTOOL = shutil.which("promtool", path=f"{ROOT}/var/promtool") or shutil.which("promtool")
SALE = 'method="POST",route="api/v1/lototrot/tickets"'
NOW = "0+60x20"  # a time that is always this minute's: a sample a minute, from the time 0
LONG_AGO = "-700000x20"  # eight days before it


@dataclass(frozen=True, slots=True)
class Case:
    """Series in promtool's words, a sample a minute, and when a rule must fire with which labels.

    `quiet` are the same series as they are on a good day.
    """

    alert: str
    series: Mapping[str, str]
    quiet: Mapping[str, str]
    minutes: int
    labels: Mapping[str, str] = field(default_factory=dict)


def buckets(under_half_a_second: int) -> dict[str, str]:
    """Return a hundred sales a minute, of which so many take less than half a second."""
    counts = {"0.5": under_half_a_second, "1.0": 100, "+Inf": 100}
    return {
        f'http_request_seconds_bucket{{{SALE},le="{le}"}}': f"0+{count}x20"
        for le, count in counts.items()
    }


WEB, PROCESS = {"job": "lototrot"}, {"job": "lototrot-processes"}
ARCHIVE = "lototrot_archive_sound_timestamp_seconds"
BACKUP, RESTORE = "lototrot_backup_timestamp_seconds", "lototrot_restore_timestamp_seconds"
DISK = {"fstype": "ext4", "mountpoint": "/var/lib/postgresql"}
ROOM, SIZE = (
    f'node_filesystem_{name}_bytes{{fstype="ext4",mountpoint="/var/lib/postgresql"}}'
    for name in ("avail", "size")
)
CASES = [
    Case("WebDown", {'up{job="lototrot"}': "0x9"}, {'up{job="lototrot"}': "1x9"}, 2, WEB),
    Case(
        "FaultsAnswered",
        {'http_requests_total{status="500"}': "0 0 1x9"},
        {'http_requests_total{status="500"}': "7x9", 'http_requests_total{status="201"}': "0+9x9"},
        4,
    ),
    Case("SalesSlow", buckets(90), buckets(100), 15),
    Case(
        "RequestsShed",
        {'http_requests_total{route="shed"}': "0+5x9"},
        {'http_requests_total{route="api/v1/lototrot/tickets"}': "0+5x9"},
        5,
    ),
    Case("ClockUnsound", {"clock_unsound": "1x5"}, {"clock_unsound": "0x5"}, 1),
    Case("ClockUnwatched", {"clock_watched_seconds": "61x5"}, {"clock_watched_seconds": "9x5"}, 1),
    Case(
        "ProcessDown",
        {'up{job="lototrot-processes"}': "0x9"},
        {'up{job="lototrot-processes"}': "0 1x9"},
        3,
        PROCESS,
    ),
    Case("WorkersSilent", {"worker_silent_seconds": "61x9"}, {"worker_silent_seconds": "5x9"}, 2),
    Case(
        "WorkDue",
        {'due_work{task="seal"}': "1x9"},
        {'due_work{task="seal"}': "1 1 0x9"},
        6,
        {"task": "seal"},
    ),
    Case("NightJobsDue", {"night_jobs_due": "3x400"}, {"night_jobs_due": "3x300 0x100"}, 361),
    Case("BoardsOld", {"live_pulse_age_seconds": "31x9"}, {"live_pulse_age_seconds": "1x9"}, 2),
    Case(
        "BoardFilesUnread",
        {"live_files_unread_total": "0+60x9"},
        {"live_files_unread_total": "7x9"},
        4,
    ),
    Case(
        "TasksFail",
        {'tasks_total{state="FAILURE",task="settle"}': "0+12x20"},
        {
            'tasks_total{state="FAILURE",task="settle"}': "0 1x20",
            'tasks_total{state="SUCCESS",task="settle"}': "0+12x20",
        },
        8,
        {"task": "settle"},
    ),
    Case(
        "PersonsNeeded",
        {'alarms{code="held_vouchers"}': "1x20"},
        {'alarms{code="held_vouchers"}': "0x20"},
        16,
        {"code": "held_vouchers"},
    ),
    Case(
        "MetricsIncomplete", {"metrics_sources_failed": "1x9"}, {"metrics_sources_failed": "0x9"}, 6
    ),
    Case(
        "MetricsWithoutRoom",
        {"metrics_folder_free_bytes": "4096x9"},
        {"metrics_folder_free_bytes": "2097152x9"},
        6,
    ),
    Case(
        "JournalUnsealed",
        {"journal_unsealed_seconds": "301x5"},
        {"journal_unsealed_seconds": "9x5"},
        1,
    ),
    Case(
        "TwoLogs",
        {'alarms{code="proofs_two_logs"}': "1x5"},
        {'alarms{code="proofs_two_logs"}': "0x5"},
        1,
        {"code": "proofs_two_logs"},
    ),
    Case(
        "NoSecondMachine", {"database_second_machine": "0x5"}, {"database_second_machine": "1x5"}, 2
    ),
    Case("ReplicaMissing", {"database_replicas": "2 2 1x12"}, {"database_replicas": "2x14"}, 9),
    Case(
        "ReplicaBehind",
        {"database_replica_behind_bytes": "2000000000x9"},
        {"database_replica_behind_bytes": "0 2000000000 0x9"},
        6,
    ),
    Case(
        "ReadStandbyAway",
        {"read_standby_up": "0x9"},
        {"read_standby_up": "1x9", "read_standby_lag_seconds": "2x9"},
        6,
    ),
    Case("ReadStandbyAway", {"read_standby_lag_seconds": "31x9"}, {}, 6),
    Case("ArchiveFailing", {ARCHIVE: LONG_AGO}, {ARCHIVE: NOW}, 6),
    Case("ArchiveFailing", {}, {ARCHIVE: NOW, "database_archive_failing": "0x9"}, 3),
    Case("ArchiveFailing", {ARCHIVE: NOW, "database_archive_failing": "1x9"}, {ARCHIVE: NOW}, 3),
    Case("BackupOld", {BACKUP: LONG_AGO}, {BACKUP: NOW}, 6),
    Case("BackupOld", {}, {BACKUP: NOW}, 6),
    Case("RestoreOld", {RESTORE: LONG_AGO}, {RESTORE: NOW}, 6),
    Case("RestoreOld", {}, {RESTORE: NOW, "lototrot_restore_passed": "1x9"}, 6),
    Case("RestoreOld", {RESTORE: NOW, "lototrot_restore_passed": "0x9"}, {RESTORE: NOW}, 6),
    Case(
        "TransactionsOld", {"database_xid_age": "1000000001x20"}, {"database_xid_age": "9x20"}, 11
    ),
    Case(
        "SessionsFew",
        {"database_sessions": "81x9", "database_sessions_most": "100x9"},
        {"database_sessions": "80x9", "database_sessions_most": "100x9"},
        3,
    ),
    Case("DiskFilling", {ROOM: "9x9", SIZE: "100x9"}, {ROOM: "30x9", SIZE: "100x9"}, 6, DISK),
    Case("DiskFilling", {ROOM: "90-1x20", SIZE: "100x20"}, {ROOM: "90x20"}, 9, DISK),
]


def rules() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def trial(case: Case) -> list[dict[str, Any]]:
    """Return promtool's two tests of a case: it fires as the rule says, and stays quiet."""
    rule = rules()[case.alert]
    annotations = {
        name: re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda m: case.labels[m[1]], text)
        for name, text in rule["annotations"].items()
    }
    fired = {"exp_labels": {**rule["labels"], **case.labels}, "exp_annotations": annotations}
    asked = {"eval_time": f"{case.minutes}m", "alertname": case.alert}
    return [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "alert_rule_test": [{**asked, "exp_alerts": expected}],
        }
        for series, expected in ((case.series, [fired]), (case.quiet, []))
        if series or expected
    ]


def test_every_rule_is_tried() -> None:
    assert {case.alert for case in CASES} == rules().keys()


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool: make promtool")
def test_each_rule_fires_and_stays_quiet(tmp_path: Path) -> None:
    tests = tmp_path / "rules.yml"
    document = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [test for case in CASES for test in trial(case)],
    }
    tests.write_text(yaml.safe_dump(document))
    done = subprocess.run(
        [str(PROMTOOL), "test", "rules", str(tests)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool: make promtool")
def test_a_rule_that_does_not_fire_is_seen(tmp_path: Path) -> None:
    tests = tmp_path / "rules.yml"
    case = Case("ClockUnsound", {"clock_unsound": "0x5"}, {}, 1)
    tests.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": trial(case)}))
    done = subprocess.run([str(PROMTOOL), "test", "rules", str(tests)], check=False)
    assert done.returncode == 1
