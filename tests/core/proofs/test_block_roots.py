"""Roots of blocks are the same in a process beside, and none is given if that process dies."""

import subprocess
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from core.proofs import merkle
from core.proofs.block_roots import ALONE, BlocksLost, block_roots

_BLOCK = [sha256(b"%d" % number).digest() for number in range(7)]
_BLOCKS = [[*_BLOCK, sha256(b"block %d" % number).digest()] for number in range(ALONE + 9)]


@pytest.mark.parametrize("count", [0, 1, ALONE - 1, ALONE, ALONE + 1, ALONE + 9])
def test_roots_are_those_of_the_blocks_in_their_order(count: int) -> None:
    assert block_roots(_BLOCKS[:count]) == [merkle.root(block) for block in _BLOCKS[:count]]


def test_the_last_block_may_be_shorter() -> None:
    blocks = [*_BLOCKS, _BLOCK[:1]]
    assert block_roots(blocks)[-1] == _BLOCK[0]


class Beside(subprocess.Popen[bytes]):
    """The process beside, that each test can look at and kill."""

    started: list["Beside"]

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **how)
        self.environment = how["env"]
        self.started.append(self)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[Beside]:
    Beside.started = []
    monkeypatch.setattr(subprocess, "Popen", Beside)
    return Beside.started


def test_few_blocks_start_no_process_and_it_gets_no_setting(
    beside: list[Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "not for it")
    block_roots(_BLOCKS[:ALONE])
    assert beside == []
    block_roots(_BLOCKS)
    assert [each.poll() for each in beside] == [0]
    assert "SECRET_KEY" not in beside[0].environment


def test_without_another_process_the_roots_are_computed_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*_: Any, **__: Any) -> None:
        raise BlockingIOError("no process is left")

    monkeypatch.setattr(subprocess, "Popen", none_left)
    assert block_roots(_BLOCKS) == [merkle.root(block) for block in _BLOCKS]


@pytest.mark.parametrize("killed_at", [ALONE + 1, ALONE + 5])
def test_without_the_process_beside_there_is_no_root(beside: list[Beside], killed_at: int) -> None:
    def blocks() -> Iterator[list[bytes]]:
        for number, block in enumerate(_BLOCKS):
            if number == killed_at:
                beside[0].kill()
            yield block

    with pytest.raises(BlocksLost):
        block_roots(blocks())
    assert beside[0].poll() is not None


def test_an_error_of_the_caller_ends_the_process_beside(beside: list[Beside]) -> None:
    def blocks() -> Iterator[list[bytes]]:
        yield from _BLOCKS
        raise LookupError

    with pytest.raises(LookupError):
        block_roots(blocks())
    assert beside[0].poll() is not None
