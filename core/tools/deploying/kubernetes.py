"""Write manifests for Kubernetes. They were never run.

The program's are made from the containers, so that both say the same commands and keys. The
database is a `Cluster` of CloudNativePG with the settings that Patroni has. Secrets are made by
hand: `lototrot-keys` with a file for each key, `lototrot-app` and `lototrot-owner` with the
environment.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from core.tools.deploying.compose import Written, services
from core.tools.deploying.patroni import POSTGRESQL
from core.tools.deploying.processes import PROCESSES

KINDS = tuple(name for name in PROCESSES if name != "signer")  # which stands beside others
REPLICAS = 2
"""Of each kind: no process has a single home, neither the beat."""
_OPERATORS = ("wal_level", "max_wal_senders", "max_replication_slots", "hot_standby")
"""Settings that CloudNativePG decides itself."""
_GIVEN = ("DATABASE_URL", "BROKER_URL", "DATABASE_OWNER_URL", "TRUSTED_PROXIES")
"""Words that differ from machine to machine: they come from the secret."""


_HEAD = """# CloudNativePG for the database, and the program. These manifests were never run.
# Written by `make deploy` from core/tools/deploying: change them there.
"""


def written() -> str:
    """Return the text of kubernetes.yaml."""
    return _HEAD + str(yaml.dump_all(manifests(), Dumper=Written, sort_keys=False))


def manifests() -> list[dict[str, Any]]:
    """Return all objects in the order in which they are applied."""
    composed = services()
    objects = [database(), _migrate(composed["migrate"])]
    for kind in KINDS:
        objects.append(_deployment(kind, composed))
        if ports := composed[kind].get("ports"):
            objects.append(_service(kind, int(ports[0].rpartition(":")[2])))
    return objects


def database() -> dict[str, Any]:
    """Return three servers, of which two have each answered commit."""
    settings = {k: str(v) for k, v in POSTGRESQL.items() if k not in _OPERATORS}
    return {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "metadata": {"name": "lototrot-database"},
        "spec": {
            "instances": 3,
            "storage": {"size": "100Gi"},
            "postgresql": {
                "parameters": settings,
                "synchronous": {"method": "any", "number": 1, "dataDurability": "required"},
            },
            "bootstrap": {
                "initdb": {
                    "database": "lototrot",
                    "owner": "lototrot_owner",
                    "dataChecksums": True,
                    "encoding": "UTF8",
                    "localeProvider": "builtin",
                    "builtinLocale": "C.UTF-8",
                }
            },
        },
    }


def _migrate(composed: Mapping[str, Any]) -> dict[str, Any]:
    pod = _pod("migrate", composed, {})
    pod["containers"][0]["envFrom"].append({"secretRef": {"name": "lototrot-owner"}})
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "lototrot-migrate"},
        "spec": {"template": {"spec": {**pod, "restartPolicy": "Never"}}},
    }


def _deployment(kind: str, composed: Mapping[str, Any]) -> dict[str, Any]:
    labels = {"app": "lototrot", "process": kind}
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": labels},
    }
    pod = _pod(kind, composed[kind], composed["signer"])
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"lototrot-{kind}"},
        "spec": {
            "replicas": REPLICAS,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {**pod, "topologySpreadConstraints": [spread]},
            },
        },
    }


def _service(kind: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"lototrot-{kind}"},
        "spec": {
            "selector": {"app": "lototrot", "process": kind},
            "ports": [{"port": port, "targetPort": port}],
        },
    }


def _pod(kind: str, composed: Mapping[str, Any], signer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pod; one that publishes has the signer beside it, and shares only its socket."""
    containers = [_container(kind, composed)]
    if "SIGNER" in composed["environment"]:
        containers.append(_container("signer", signer))
    volumes: dict[str, dict[str, Any]] = {}
    for container in containers:
        for mount in container["volumeMounts"]:
            volumes.setdefault(mount["name"], {"name": mount["name"], "emptyDir": {}})
    for container, composed_part in zip(containers, (composed, signer), strict=False):
        if keys := composed_part.get("secrets"):
            name = f"keys-of-{container['name']}"
            items = [{"key": key, "path": key} for key in keys]
            secret = {"secretName": "lototrot-keys", "items": items, "defaultMode": 0o440}
            volumes[name] = {"name": name, "secret": secret}
    return {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 60,
        "securityContext": {
            "runAsUser": int(composed["user"]),
            "runAsNonRoot": True,
            "fsGroup": int(composed["user"]),
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": containers,
        "volumes": list(volumes.values()),
    }


def _container(name: str, composed: Mapping[str, Any]) -> dict[str, Any]:
    places = [place.partition(":")[0] for place in composed["tmpfs"]]
    places += [volume.partition(":")[2] for volume in composed.get("volumes", ())]
    mounts = [{"name": _volume(name, place), "mountPath": place} for place in places]
    if composed.get("secrets"):
        mounts.append({"name": f"keys-of-{name}", "mountPath": "/run/secrets"})
    environment = {k: v for k, v in composed["environment"].items() if k not in _GIVEN}
    container: dict[str, Any] = {
        "name": name,
        "image": composed["image"],
        "command": composed["command"],
        "env": [{"name": word, "value": str(value)} for word, value in environment.items()],
        "envFrom": [{"secretRef": {"name": "lototrot-app"}}],
        "securityContext": {
            "readOnlyRootFilesystem": composed["read_only"],
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": composed["cap_drop"]},
        },
        "volumeMounts": mounts,
    }
    test = composed.get("healthcheck", {}).get("test", [""])
    if test[0] == "CMD" and composed.get("ports"):
        container["readinessProbe"] = {"exec": {"command": test[1:]}, "timeoutSeconds": 10}
    return container


def _volume(container: str, place: str) -> str:
    """Return the name of a volume; the signer's socket is one for both containers of a pod."""
    if place == "/run/signer":
        return "signer"
    return f"{container}{place.replace('/', '-')}"
