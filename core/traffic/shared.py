"""Count requests of all processes together in Valkey or Redis, or in memory while it is away.

Nothing that a sale needs is kept there. A store that does not answer within a few hundredths of a
second is not asked again for some seconds; meanwhile each process counts its own part.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

import structlog

from core.traffic.rates import Claim, Memory, Refusal

if TYPE_CHECKING:
    from redis import Redis

MEMORY = "memory://"
_TIMEOUT_S = 0.05
_AWAY_S = 5.0
_PREFIX = "limits:"

# Each key holds the instant until which it has paid, by the clock of the store; see `rates`.
_TAKE = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local until_s, longest, refused = {}, 0, 0
for i, key in ipairs(KEYS) do
  local cost, room = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local paid = tonumber(redis.call('GET', key) or '0')
  until_s[i] = math.max(paid, now) + cost
  local wait = until_s[i] - now - room
  if wait > longest then longest, refused = wait, i end
end
if longest > 0.000002 then return {refused, tostring(longest)} end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.6f', until_s[i]), 'PX',
    math.ceil((until_s[i] - now) * 1000) + 1)
end
return {0, '0'}
"""
_GIVE_BACK = """
for i, key in ipairs(KEYS) do
  local paid = redis.call('GET', key)
  if paid then
    redis.call('SET', key, string.format('%.6f', paid - ARGV[i]), 'KEEPTTL')
  end
end
"""

log = structlog.get_logger("traffic")


def client_url(url: str) -> str:
    """Return a broker's URL as the client reads it: kombu writes sockets in another way."""
    parts = urlsplit(url)
    if parts.scheme != "redis+socket":
        return url
    database = parse_qs(parts.query).get("virtual_host", ["0"])[0]
    return f"unix://{unquote(parts.netloc + parts.path)}?db={database}"


def _connected(url: str) -> "Redis":
    from redis import Redis  # slow to load, and most processes limit nobody

    return Redis.from_url(
        client_url(url), socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
    )


def _store_error() -> type[Exception]:
    """Return the class of the errors of the store's client."""
    from redis import RedisError

    return RedisError


class Shared:
    """Keys in the store at `url`. `processes` count for themselves while it is away."""

    def __init__(self, url: str, *, processes: int) -> None:
        self._memory = Memory()
        self._processes = processes
        self._away_until_s = 0.0
        self._client: Redis | None = None
        if url.startswith(("redis", "rediss", "unix")):
            self._client = _connected(url)
            self._take = self._client.register_script(_TAKE)
            self._give_back = self._client.register_script(_GIVE_BACK)

    def take(self, claims: Sequence[Claim]) -> Refusal | None:
        """Take all claims or none. Return the refusal with the longest time to wait, or None."""
        if self._reachable():
            try:
                costs = [f"{s:.6f}" for c in claims for s in (c.cost_s, c.room_s)]
                refused, wait_s = self._take(keys=[_PREFIX + c.key for c in claims], args=costs)
                return Refusal(claims[refused - 1].key, float(wait_s)) if refused else None
            except _store_error() as error:
                self._lost(error)
        return self._memory.take(self._own(claims))

    def give_back(self, claims: Sequence[Claim]) -> None:
        """Undo the taking of claims."""
        if self._reachable():
            try:
                self._give_back(
                    keys=[_PREFIX + c.key for c in claims], args=[f"{c.cost_s:.6f}" for c in claims]
                )
                return
            except _store_error() as error:
                self._lost(error)
        self._memory.give_back(self._own(claims))

    def clear(self) -> None:
        """Forget what this process counts for itself. For tests."""
        self._memory.clear()

    def _own(self, claims: Sequence[Claim]) -> Sequence[Claim]:
        """Return the claims on this process's part of the rates; all of it without a store."""
        if self._client is None or self._processes == 1:
            return claims
        return [Claim(c.key, c.rate.shared_by(self._processes), c.units) for c in claims]

    def _reachable(self) -> bool:
        return self._client is not None and time.monotonic() >= self._away_until_s

    def _lost(self, error: Exception) -> None:
        self._away_until_s = time.monotonic() + _AWAY_S
        log.warning("limits are counted by each process", cause=type(error).__name__)
