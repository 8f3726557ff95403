from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from sluice.limiter import Limiter

from .stage import Clock


@pytest.mark.parametrize("rps", [0.3, 1, 2.5, 5, 7])
def test_never_lets_more_than_its_rate_start_in_any_window(rps: float) -> None:
    random, clock, starts = Random(f"rate {rps}"), Clock(1_000.0), []
    limiter = Limiter(rps, clock)
    for _ in range(500):
        clock.now += random.choice([0.0, 0.01, 0.2, 3.0]) * random.random()
        while (wait_s := limiter.take()) > 0:
            clock.sleep(wait_s)
        starts.append(clock.now)
    apart = [late - early for early, late in zip(starts, starts[limiter.capacity :])]
    assert min(apart) >= limiter.window_s - 1e-9


def test_asks_to_wait_no_longer_than_it_must() -> None:
    clock = Clock()
    assert waits(Limiter(2, clock), clock, [10.0, 10.25, 10.5, 11.0, 11.0]) == [0, 0, 0.5, 0, 0.25]


def test_a_clock_that_is_put_back_blocks_nobody() -> None:
    clock = Clock()
    assert waits(Limiter(1, clock), clock, [5_000.0, 10.0, 10.5]) == [0, 0, 0.5]


def test_threads_get_no_place_twice() -> None:
    ticks = iter(range(1_000_000))

    def crowded() -> float:
        """Lets the other threads in between the look at the time and what is done with it."""
        now = next(ticks) / 1e6
        time.sleep(0)
        return now

    for _ in range(20):
        limiter = Limiter(50, crowded)
        with ThreadPoolExecutor(16) as threads:
            taken = list(threads.map(lambda _: limiter.take(), range(200)))
        assert taken.count(0) == 50


def waits(limiter: Limiter, clock: Clock, times: list[float]) -> list[float]:
    found = []
    for clock.now in times:
        found.append(limiter.take())
    return found
