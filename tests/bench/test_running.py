"""The parts of the benchmark run on after a failure, and the command then fails."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.bench import running
from tests.bench.load import Load, post
from tests.bench.pairs import Pairs, in_turn, interleave, middle, percentile
from tests.bench.size import SIZES
from tests.bench.store import Skipped, Store
from tests.bench.table import lines

STORE = cast(Store, SimpleNamespace(size=SIZES["tiny"]))


def _fails(_: Any) -> Any:
    raise RuntimeError("no such table")


def _skips(_: Any) -> Any:
    raise Skipped("no browser; `make browser` installs one")


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins = {
        "fails": _fails,
        "skips": _skips,
        "seal:multiple": lambda _: {"seal.multiple.ratio": 1.5, "seal.multiple.proof_p99_ms": 9.0},
        "seal:single": lambda _: {"seal.single.ratio": 2.5},
        "settlement:multiple": lambda _: {"settlement.multiple.last_result_to_order_s": 3.0},
        "settlement:single": lambda _: {"settlement.single.last_result_to_order_s": 2.0},
    }
    monkeypatch.setattr(running, "PARTS", stand_ins)


@pytest.mark.usefixtures("parts")
def test_a_failure_is_named_at_the_end_and_the_other_parts_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "var" / "bench.json"
    code = running.run(STORE, running.chosen([]), target=target)
    assert code == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "FAILED: fails"
    assert "skips: skipped, no browser; `make browser` installs one" in printed.out
    assert "no such table" in printed.err
    figures = json.loads(target.read_text())
    assert figures["seal.ratio"] == 2.5
    assert figures["settlement.last_result_to_order_s"] == 3.0
    assert figures["seal.proof_p99_ms"] == 9.0
    assert figures["bench.scale"] == SIZES["tiny"].scale


@pytest.mark.usefixtures("parts")
def test_a_skipped_part_is_no_failure(tmp_path: Path) -> None:
    assert running.run(STORE, ["skips", "seal:single"], target=tmp_path / "bench.json") == 0


@pytest.mark.usefixtures("parts")
def test_parts_are_chosen_by_name_and_by_the_first_half_of_it_also_repeatedly() -> None:
    both = ["seal:multiple", "seal:single"]
    assert running.chosen(["seal", "skips", "seal:single"]) == [*both, "skips", "seal:single"]
    with pytest.raises(ValueError, match="no part 'sail'"):
        running.chosen(["sail"])


def test_each_of_a_pair_goes_first_in_turn_and_the_first_round_is_not_counted() -> None:
    order: list[str] = []

    def measured(name: str, value: float) -> float:
        order.append(name)
        return value

    pairs = interleave(lambda: measured("b", 2.0), lambda: measured("o", 3.0), pairs=3)
    assert order == ["b", "o", "b", "o", "o", "b", "b", "o"]
    assert pairs.ratio == 1.5
    assert (pairs.baseline_median, pairs.ours_median) == (2.0, 3.0)


def test_each_of_several_goes_first_in_turn_and_the_first_round_is_not_counted() -> None:
    order: list[str] = []

    def measured(name: str) -> float:
        order.append(name)
        return float(len(order))

    measurements = in_turn([lambda name=name: measured(name) for name in "abc"], rounds=3)
    assert "".join(order) == "abc" + "abc" + "bca" + "cab"
    assert measurements == [[4.0, 9.0, 11.0], [5.0, 7.0, 12.0], [6.0, 8.0, 10.0]]


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    assert Pairs([1.0, 2.0, 4.0], [2.0, 2.0, 2.0]).ratio == 1.0
    assert middle([3.0, 1.0, 2.0, 4.0]) == 3.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 3.0
    assert percentile([1.0], 0.99) == 1.0


def test_a_request_is_one_message_and_rates_count_one_status() -> None:
    message = post("/x", b"{}", {"X-Name": "v"})
    head, _, body = message.partition(b"\r\n\r\n")
    assert head.splitlines()[0] == b"POST /x HTTP/1.1"
    assert b"X-Name: v" in head and b"Content-Length: 2" in head
    assert body == b"{}"
    load = Load(seconds=2.0)
    load.statuses.update([201, 201, 409])
    assert load.per_s(201) == 1.0


def test_the_table_stands_in_columns_by_part() -> None:
    table = lines({"sale.ratio": 0.5, "sale.p99_ms": 12.0, "pay.ratio": 1.0})
    assert table == [
        "sale.ratio              0.500",
        "sale.p99_ms            12.000",
        "",
        "pay.ratio               1.000",
    ]
