"""Simulates a run on a large cluster, and draws docs/scale-*.svg.

    python benches/spark/simulate.py            prints the tables of docs/scale.md
    python benches/spark/simulate.py --draw     writes the charts, too

Each task is an event: a slot takes it when the driver has started it, and works as long as its bytes and requests take; the store
slows all down when they ask for more than it gives; some tasks are stragglers; workers are taken away, and what they had begun is
done again. Random numbers have a fixed seed, so every run of this program says the same.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass, replace
from pathlib import Path

import chart


@dataclass(frozen=True)
class Work:
    """What there is to hash."""

    objects: float = 1e9
    bytes: float = 10e15


@dataclass(frozen=True)
class Cluster:
    """Parameters. Where they come from is said in docs/scale.md."""

    workers: int = 1000
    slots: int = 4  # tasks at once on a worker
    rate: float = 100e6  # bytes a second of a slot that reads from a store
    latency: float = 0.03  # seconds from a request to its first byte
    start: float = 0.004  # seconds of the driver for each task
    partitions: int = 16  # parts of the store that keys are spread over
    requests: float = 5500  # requests a second that a partition of the store takes
    straggle: float = 0.01  # of tasks, that take `slow` times as long
    slow: float = 5.0
    preempted: float = 0.05  # of workers, that are taken away in an hour
    back: float = 180.0  # seconds until another worker is there
    most_tasks: int = 100_000
    task: float = 60.0  # seconds that a task should take
    wave: float = 1.0  # tasks of a wave for each slot
    at_once: int = 8  # waves under way
    worker_price: float = 0.08  # of a worker and hour
    request_price: float = 0.0004  # of 1,000 requests


@dataclass(frozen=True)
class Outcome:
    """What a simulated run took."""

    hours: float
    busy: float  # share of all slots' time that was work that counted
    lost: float  # share that was begun and done again
    slowed: float  # how much the store slowed all down
    tasks: int
    price: float
    requests_price: float


def simulate(work: Work, cluster: Cluster, *, seed: int = 22) -> Outcome:
    """Plays one run."""
    rng = random.Random(seed)
    total = work.objects * cluster.latency + work.bytes / cluster.rate
    slots = cluster.workers * cluster.slots
    tasks = int(max(3 * slots, min(total / cluster.task, cluster.most_tasks)))
    asked = slots * work.objects / total
    slowed = max(1.0, asked / (cluster.partitions * cluster.requests))
    length = total / tasks * slowed
    wave = max(1, int(cluster.wave * slots))
    ended, useful, lost = _play(rng, cluster, tasks, length, wave)
    hours = ended / 3600
    requests = work.objects / 1000 * cluster.request_price
    return Outcome(
        hours=hours,
        busy=useful / (ended * slots),
        lost=lost / (ended * slots),
        slowed=slowed,
        tasks=tasks,
        price=hours * cluster.workers * cluster.worker_price,
        requests_price=requests,
    )


def _play(rng: random.Random, cluster: Cluster, tasks: int, length: float, wave: int) -> tuple[float, float, float]:
    """The end, and slot seconds that counted and that were lost."""
    slots = cluster.workers * cluster.slots
    free = [(0.0, slot) for slot in range(slots)]
    dies = [rng.expovariate(cluster.preempted / 3600) if cluster.preempted else float("inf") for _ in range(cluster.workers)]
    ends = [0.0] * -(-tasks // wave)
    again: list[int] = []
    driver, useful, lost, number = 0.0, 0.0, 0.0, 0
    while again or number < tasks:
        at, slot = heapq.heappop(free)
        worker = slot // cluster.slots
        if again:
            of = again.pop()
        else:
            of = number // wave
            earlier = of - cluster.at_once
            if earlier >= 0:
                at = max(at, ends[earlier])  # it must be in the log before this one is begun
            number += 1
        driver = max(driver, at) + cluster.start
        begins = max(at, driver)
        takes = length * rng.uniform(0.9, 1.1) * (cluster.slow if rng.random() < cluster.straggle else 1.0)
        while dies[worker] <= begins:
            begins = max(begins, dies[worker] + cluster.back)
            dies[worker] += cluster.back + rng.expovariate(cluster.preempted / 3600)
        if dies[worker] < begins + takes:
            lost += dies[worker] - begins
            again.append(of)
            heapq.heappush(free, (dies[worker], slot))
            continue
        useful += takes
        ends[of] = max(ends[of], begins + takes)
        heapq.heappush(free, (begins + takes, slot))
    return max(ends), useful, lost


WORKERS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)


def curve(cluster: Cluster, work: Work) -> list[tuple[int, Outcome]]:
    """The run on clusters of many sizes."""
    return [(workers, simulate(work, replace(cluster, workers=workers))) for workers in WORKERS]


def main() -> None:
    """Prints tables; draws charts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draw", action="store_true", help="write docs/scale-*.svg")
    draw = options.parse_args().draw
    work, usual = Work(), Cluster()
    spread = curve(usual, work)
    together = curve(replace(usual, partitions=1), work)
    print("workers  hours  busy  lost  slowed  price")
    for workers, found in spread:
        print(f"{workers:7,} {found.hours:8.1f} {found.busy:5.0%} {found.lost:5.1%} {found.slowed:6.1f} {found.price:9,.0f}")
    print("\n1,000 workers, one thing changed: hours, busy, lost")
    changes = {
        "nothing": {},
        "no stragglers": {"straggle": 0.0},
        "5 % stragglers": {"straggle": 0.05},
        "nobody preempted": {"preempted": 0.0},
        "half of the workers preempted each hour": {"preempted": 0.5},
        "two waves under way, not eight": {"at_once": 2},
        "32 waves under way": {"at_once": 32},
        "one partition of the store": {"partitions": 1},
        "64 partitions": {"partitions": 64},
        "tasks of a minute, a million allowed": {"most_tasks": 3_000_000},
        "20,000 tasks": {"most_tasks": 20_000},
        "a driver that takes 50 ms for a task": {"start": 0.05},
    }
    rows = []
    for name, change in changes.items():
        found = simulate(work, replace(usual, **change))
        rows.append((name, found.hours))
        print(f"{name:42} {found.hours:6.1f} {found.busy:5.0%} {found.lost:5.1%} {found.tasks:10,}")
    if draw:
        docs = Path(__file__).parents[2] / "docs"
        ideal = [(workers, spread[0][1].hours / workers) for workers in WORKERS]
        lines = {
            "ideal": ideal,
            "keys spread over 16 partitions": [(workers, found.hours) for workers, found in spread],
            "all keys in one partition": [(workers, found.hours) for workers, found in together],
        }
        chart.lines(docs / "scale-hours.svg", lines, "10 PB in 1,000,000,000 objects", "workers (4 tasks each)", "hours")
        chart.bars(docs / "scale-causes.svg", rows, "Hours with 1,000 workers, one thing changed", "hours")


if __name__ == "__main__":
    main()
