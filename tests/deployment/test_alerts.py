"""Each alarm and each rule of Prometheus has its page, and asks for figures that exist."""

import json
import re

import jsonschema
import pytest
import yaml
from django.test import Client
from prometheus_client import REGISTRY

from core.alarms.kinds import all_alarms
from core.tools.embedded.server import ROOT

DEPLOY = ROOT / "docs" / "deploy"
RULES = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
BOARD = json.loads((DEPLOY / "grafana.json").read_text())
HEADINGS = set(re.findall(r"^### (\w+)$", (ROOT / "docs" / "alarms.md").read_text(), re.MULTILINE))
# Of Prometheus itself, and written by the scripts of backup and restore.
ELSEWHERE = {"up", "lototrot_restore_passed"}
ELSEWHERE |= {
    f"lototrot_{what}_timestamp_seconds" for what in ("archive_sound", "backup", "restore")
}
ELSEWHERE |= {f"node_filesystem_{what}_bytes" for what in ("avail", "size")}
# Without a value until the first watch, archive, publication.
SELDOM = {"clock_watched_seconds", "database_archived_seconds", "live_pulse_age_seconds"}
# Without a value until there are standbys.
SELDOM |= {"database_replica_behind_bytes", "read_standby_up", "read_standby_lag_seconds"}
SELDOM |= {"worker_silent_seconds", "clock_ahead_seconds", "alarm_days_left"}
# Where processes share their counts.
SELDOM |= {"metrics_folder_free_bytes"}
# Counts and figures without a rule, each with the reason.
WITHOUT_RULE = {
    "alarm_days_left": "`alarms` counts them",
    "alarm_oldest_seconds": "`alarms` counts them",
    "clock_ahead_seconds": "`clock_unsound` is judged from it",
    "database_archived_seconds": "`database_archive_failing`: without sales nothing is archived",
    "database_archiving": "the script's `lototrot_archive_sound_timestamp_seconds`",
    "heavy_readings_total": "`read_standby_up`",
    "live_publications_total": "one that fails leaves the pulse old: `live_pulse_age_seconds`",
    "lototrot_contests": "no trouble",
    "lototrot_newest_sale_seconds": "no trouble: nobody may buy",
    "lototrot_settlement_waiting_seconds": "`due_work`, and alarms where persons are waited for",
    "lototrot_ticket_last_id": "no trouble",
    "night_job_done_seconds": "`night_jobs_due`",
    "night_job_seconds": "no trouble",
    "promotrot_emissions": "no trouble",
    "promotrot_newest_play_seconds": "no trouble: nobody may play",
    "promotrot_play_last_id": "no trouble",
    "promotrot_plays_unfinished": "`alarms` counts the stranded ones",
    "promotrot_vouchers_held": "persons see them at the office's desk",
    "proposal_oldest_seconds": "persons see it in their queue",
    "proposals_pending": "persons see it in their queue",
    "simulated_offset_seconds": "production has none",
    "suspensions_in_force": "persons put them in force",
    "tasks_sent_total": "no trouble",
}
WORDS = {
    "predict_linear",
    "sum",
    "by",
    "rate",
    "increase",
    "min",
    "max",
    "le",
    "or",
    "and",
    "absent",
    "time",
    "status",
}
WORDS |= {"histogram_quantile", "max_over_time", "task", "code", "kind", "name", "m", "d"}
SCHEMA = {
    "type": "object",
    "required": ["groups"],
    "additionalProperties": False,
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "rules"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "rules": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["alert", "expr", "labels", "annotations"],
                            "additionalProperties": False,
                            "properties": {
                                "alert": {"type": "string", "pattern": "^[A-Z][A-Za-z]+$"},
                                "expr": {"type": "string", "minLength": 3},
                                "for": {"type": "string", "pattern": "^[0-9]+[smhd]$"},
                                "labels": {
                                    "type": "object",
                                    "required": ["severity"],
                                    "properties": {"severity": {"enum": ["page", "ticket"]}},
                                },
                                "annotations": {
                                    "type": "object",
                                    "required": ["summary", "runbook"],
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}


def rules() -> list[dict[str, str]]:
    return [rule for group in RULES["groups"] for rule in group["rules"]]


def names_in(expression: str) -> set[str]:
    """Return the names of the series that an expression asks for."""
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\d+", "", re.sub(r"by \([^)]*\)", "", expression))
    return set(re.findall(r"[a-z_]\w*", bare)) - WORDS


@pytest.fixture
def exposed(client: Client, db: None) -> set[str]:
    """Return the names of the series of `/metrics`, with those of the other metrics."""
    text = client.get("/metrics").content.decode()
    named = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    histograms = set(re.findall(r"^# TYPE (\w+) histogram", text, re.MULTILINE))
    return named | {f"{name}_bucket" for name in histograms} | counters()


def counters() -> set[str]:
    """Return the names of the program's counters, also those that have counted nothing yet."""
    names = {f"{each.name}_total" for each in REGISTRY.collect() if each.type == "counter"}
    return {name for name in names if not name.startswith(("python_", "process_"))}


def test_the_rules_have_the_form_of_prometheus() -> None:
    jsonschema.validate(RULES, SCHEMA)
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names))


def test_every_alarm_and_every_rule_has_its_heading() -> None:
    codes = {alarm.code for alarm in all_alarms()}
    alerts = {rule["alert"] for rule in rules()}
    assert codes | alerts == HEADINGS
    for rule in rules():
        runbook = rule["annotations"]["runbook"]
        assert runbook == f"docs/alarms.md#{rule['alert'].lower()}"


def test_rules_and_dashboard_ask_for_figures_that_are_given(exposed: set[str]) -> None:
    panels = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    for expression in [*(rule["expr"] for rule in rules()), *panels]:
        unknown = names_in(expression) - exposed - ELSEWHERE - SELDOM
        assert not unknown, expression


def test_every_count_has_a_rule_or_is_named_as_needing_none(exposed: set[str]) -> None:
    """A count of trouble that nobody is told of is of no use."""
    counted = {name for name in exposed if not name.endswith(("_bucket", "_created"))}
    counted -= {name.removesuffix("_bucket") for name in exposed if name.endswith("_bucket")}
    counted = {name for name in counted if not name.startswith(("python_", "process_"))} | SELDOM
    asked = set().union(*(names_in(rule["expr"]) for rule in rules()))
    assert counters() <= counted
    assert counted - asked == WITHOUT_RULE.keys()


def test_the_dashboard_is_one_that_grafana_can_read() -> None:
    assert {"title", "uid", "schemaVersion", "panels", "templating"} <= BOARD.keys()
    numbers = [panel["id"] for panel in BOARD["panels"]]
    assert len(numbers) == len(set(numbers))
    for panel in BOARD["panels"]:
        assert panel["type"] == "timeseries"
        assert panel["gridPos"].keys() == {"h", "w", "x", "y"}
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
