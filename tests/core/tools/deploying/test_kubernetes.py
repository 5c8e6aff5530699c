"""Tests of the manifests: the same commands and keys as the containers, and no more rights."""

from typing import Any

import pytest
import yaml

from core.kernel.holding import HELD, PUBLISHING
from core.tools.deploying import kubernetes

OBJECTS = {(o["kind"], o["metadata"]["name"]): o for o in kubernetes.manifests()}


def pod(kind: str) -> dict[str, Any]:
    name = "Job" if kind == "migrate" else "Deployment"
    spec: dict[str, Any] = OBJECTS[name, f"lototrot-{kind}"]["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("kind", [*kubernetes.KINDS, "migrate"])
def test_each_pod_runs_the_containers_command_with_its_keys_alone(kind: str) -> None:
    own, *beside = pod(kind)["containers"]
    assert own["command"] == kubernetes.services()[kind]["command"]
    process = {"sales": "web", "night": "worker", "long": "worker"}.get(kind, kind)
    assert {"name": "PROCESS", "value": process} in own["env"]
    assert [each["name"] for each in beside] == (["signer"] if process in PUBLISHING else [])
    volumes = {volume["name"]: volume for volume in pod(kind)["volumes"]}
    keys = volumes.get(f"keys-of-{kind}", {}).get("secret", {}).get("items", [])
    assert {item["key"] for item in keys} == {name.lower() for name in HELD[process]}
    for container in (own, *beside):
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes.keys()


@pytest.mark.parametrize("kind", [*kubernetes.KINDS, "migrate"])
def test_no_pod_gains_a_right_or_is_told_a_password_in_its_manifest(kind: str) -> None:
    spec = pod(kind)
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["automountServiceAccountToken"] is False
    for container in spec["containers"]:
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert not [word for word in container["env"] if "://" in word["value"]]
    secrets = [each["secretRef"]["name"] for each in spec["containers"][0]["envFrom"]]
    assert ("lototrot-owner" in secrets) == (kind == "migrate")


def test_no_process_has_a_single_home_and_a_commit_is_on_two_servers() -> None:
    for kind in kubernetes.KINDS:
        assert OBJECTS["Deployment", f"lototrot-{kind}"]["spec"]["replicas"] == 2
    database = OBJECTS["Cluster", "lototrot-database"]["spec"]
    assert database["instances"] == 3
    synchronous = {"method": "any", "number": 1, "dataDurability": "required"}
    assert database["postgresql"]["synchronous"] == synchronous
    assert database["postgresql"]["parameters"]["synchronous_commit"] == "on"


def test_what_is_asked_has_a_service_and_all_of_it_is_yaml() -> None:
    assert {name for kind, name in OBJECTS if kind == "Service"} == {
        f"lototrot-{kind}" for kind in ("sales", "web", "play", "live")
    }
    text = yaml.safe_dump_all(kubernetes.manifests())
    assert list(yaml.safe_load_all(text)) == kubernetes.manifests()
