"""Write compose.yaml: the containers of the program go into a template that has all others."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from core.tools.deploying.processes import MIGRATE, OPEN_FILES, PROCESSES, Process

_TEMPLATE = Path(__file__).parent / "templates" / "compose.yaml"
_PLACE = "  # {processes}\n"
SIGNER_SOCKET = "/run/signer/socket"
_METRICS = {"METRICS_LISTEN": "0.0.0.0:9100", "PROMETHEUS_MULTIPROC_DIR": "/tmp"}  # noqa: S108
_SHARES = 1024  # of one with the weight of most
_READY = """import os, urllib.request as http
host = os.environ["ALLOWED_HOSTS"].split(",")[0].lstrip(".")
ask = http.Request("http://127.0.0.1:{port}/readyz", headers={{"Host": host}})
http.urlopen(ask, timeout=5)
"""
_PING = "celery --app core.config.celery inspect ping --timeout 5"
_ANSWERS = f"{_PING} --destination celery@$$HOSTNAME"
_PUBLISHES = 'test -n "$$(find var/live/pulse.json -mmin -1)"'


def composed() -> str:
    """Return the text of compose.yaml."""
    services = "\n".join(_service_yaml(each) for each in (MIGRATE, *PROCESSES.values()))
    before, place, after = _TEMPLATE.read_text("utf-8").partition(_PLACE)
    if not place:
        raise ValueError("the template of compose.yaml has no place for the program's containers")
    return before + services + after


def services() -> Mapping[str, Any]:
    """Return the services of compose.yaml by name, as the file says them."""
    read: dict[str, Any] = yaml.safe_load(composed())["services"]
    return read


def _service_yaml(process: Process) -> str:
    service = _migrate() if process is MIGRATE else _service(process)
    text = yaml.dump(
        {process.name: {"<<": "*app", **service}},
        Dumper=Written,
        sort_keys=False,
        width=200,
    )
    lines = [f"# {process.purpose}", *text.splitlines()]
    yaml_text = "".join(f"  {line}".rstrip() + "\n" for line in lines)
    for name in ("app", "app-environment"):  # a merge of the template's, not a word
        yaml_text = yaml_text.replace(f"'<<': '*{name}'", f"<<: *{name}")
    return yaml_text


def _service(process: Process) -> dict[str, Any]:
    address = "0.0.0.0"  # noqa: S104  (a container has a network of its own)
    service: dict[str, Any] = {"command": process.command(address=address, signer=SIGNER_SOCKET)}
    service["environment"] = {"<<": "*app-environment", **_environment(process)}
    if process.kind == "signer":
        service |= {"network_mode": "none", "depends_on": {}}
    if process.weight:
        service["cpu_shares"] = process.weight * _SHARES // 100
    if folder := _written(process):
        service["tmpfs"] = ["/tmp", f"{folder}:mode=1777"]  # noqa: S108
    if process.port:
        service["ulimits"] = {"core": 0, "nofile": OPEN_FILES}
        service["ports"] = [f"127.0.0.1:{process.port}:{process.port}"]  # for the proxy, with TLS
    if health := _health(process):
        service["healthcheck"] = health
    if process.keys:
        service["secrets"] = process.keys
    if process.publishes or process.kind == "signer":
        service["volumes"] = ["signer:/run/signer"]
    return service


def _migrate() -> dict[str, Any]:
    owner = "postgresql://lototrot_owner:${OWNER_PASSWORD}@postgres:5432/lototrot"
    return {
        "restart": "no",
        "command": MIGRATE.command(),
        "environment": {
            "<<": "*app-environment",
            "PROCESS": MIGRATE.kind,
            "DATABASE_OWNER_URL": owner,
        },
        "depends_on": {"postgres": {"condition": "service_healthy"}},
    }


def _environment(process: Process) -> dict[str, str]:
    words = {"PROCESS": process.kind}
    if process.publishes:
        words["SIGNER"] = SIGNER_SOCKET
    words |= {f"{key.upper()}_FILE": f"/run/secrets/{key}" for key in process.keys}
    if process.role:
        words["PROCESS_ROLE"] = process.role
    if process.answers:
        words["PROMETHEUS_MULTIPROC_DIR"] = "/run/metrics"
    if process.metrics_port:
        words |= _METRICS
    if process.kind == "beat":
        words["VAR_DIR"] = "/tmp"  # noqa: S108  (its schedule)
    return words


def _written(process: Process) -> str:
    """Return the folder in memory that a process writes beside /tmp."""
    if process.answers:
        return "/run/metrics"
    return "/app/var/live" if process.kind == "live" else ""


def _health(process: Process) -> dict[str, Any] | None:
    if process.answers:
        test = ["CMD", "python", "-c", _READY.format(port=process.port)]
        return _asked(test, interval_s=10, timeout_s=10, retries=3)
    if process.works:
        return _asked(["CMD-SHELL", _ANSWERS], interval_s=60, timeout_s=30, retries=3)
    if process.kind == "live":
        return _asked(["CMD-SHELL", _PUBLISHES], interval_s=30, timeout_s=5, retries=2)
    return None


def _asked(test: list[str], *, interval_s: int, timeout_s: int, retries: int) -> dict[str, Any]:
    return {
        "test": test,
        "interval": f"{interval_s}s",
        "timeout": f"{timeout_s}s",
        "retries": retries,
        "start_period": "30s",
    }


class Written(yaml.SafeDumper):
    """Write for people: lists one further in than their names, text of several lines as such, and
    nothing by reference."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Written.add_representer(str, _text)
