"""How dibs.py counts time on a system without CLOCK_BOOTTIME, while its clocks are set or the machine sleeps: clock.py FOLDER_OF_DIBS_PY.

The driver is a stand-in that grants each lease and refuses everything else, and both clocks are ours.
"""

import os
import sys
import threading  # noqa: F401 (before the clocks are replaced, because it reads them itself)
import time

HOUR = 3600
clock = {"monotonic": 1000.0, "wall": 1_700_000_000.0}
if hasattr(time, "CLOCK_BOOTTIME"):
    del time.CLOCK_BOOTTIME
time.monotonic = lambda: clock["monotonic"]
time.time = lambda: clock["wall"]
sys.path.insert(0, sys.argv[1])

import dibs  # noqa: E402

COLUMNS = ("name", "owner", "holder", "fence", "acquired_at", "held_until", "read_at")


class Cursor:
    rowcount = 0
    description = [(name,) for name in COLUMNS]

    def execute(self, sql, parameters):
        if "INSERT INTO dibs_lock" not in sql:
            raise OSError("nothing else gets through")
        self.row = ("x", parameters["owner"], "me", 1, 1, 2, 1)

    def fetchall(self):
        return [self.row]

    def close(self):
        pass


class Connection:
    __module__ = "psycopg"
    autocommit = True

    def cursor(self):
        return Cursor()

    def close(self):
        pass


def move(monotonic=0, wall=0):
    clock["monotonic"] += monotonic
    clock["wall"] += wall


def believes(*steps):
    """Whether a lease of a second is believed in after these steps; before one step the lease is acquired."""
    store, lease = dibs.Dibs(Connection, lease=1), None
    for step in steps:
        if step == "acquire":
            lease = store.lock("x").acquire()
        else:
            move(**step)
        if lease:
            lease.remaining()
    return lease.valid


AHEAD, BACK, ASLEEP = {"wall": HOUR}, {"wall": -HOUR}, {"wall": 2}
EXPECTED = (
    ("a lease that is over", False, ["acquire", {"monotonic": 2, "wall": 2}]),
    ("the clock was ahead and is set right", True, [AHEAD, "acquire", BACK, {"monotonic": 0.1, "wall": 0.1}]),
    ("the clock was ahead and is set right, and the lease is over", False, [AHEAD, "acquire", BACK, {"monotonic": 2, "wall": 2}]),
    ("the machine slept", False, ["acquire", ASLEEP]),
    ("the clock is set back", True, ["acquire", BACK, {"monotonic": 0.1, "wall": 0.1}]),
    ("the clock was set right, and the machine slept", False, [AHEAD, "acquire", BACK, ASLEEP]),
    ("the machine slept, and the clock is set back", False, ["acquire", ASLEEP, BACK]),
)
for what, wanted, steps in EXPECTED:
    print(("ok" if believes(*steps) == wanted else "FAULT") + ": " + what, flush=True)
os._exit(0)
