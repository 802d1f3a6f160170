#!/usr/bin/env python3
"""Runs a command on a machine that stands still: every 40 seconds or so, all processes of the command are stopped for 5 seconds.

    python3 src/lab/standstill.py mvn -Pall verify

A test that fails is one that a busy machine may fail, too. For Linux, where /proc shows the environment of a process.
"""
import os
import random
import signal
import subprocess
import sys
import time

STILL = float(os.environ.get("DIBS_STANDSTILL", "5"))
GAP = float(os.environ.get("DIBS_STANDSTILL_EVERY", "40"))
MARK = "DIBS_STANDSTILL_OF=%d" % os.getpid()


def running():
    """All that inherited the mark; without what a test has stopped itself."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as environ, open("/proc/%s/stat" % pid) as stat:
                if MARK.encode() in environ.read().split(b"\0") and stat.read().rpartition(") ")[2][0] not in "TZ":
                    yield int(pid)
        except OSError:
            pass  # It has ended.


def send(pid, sent):
    try:
        os.kill(pid, sent)
    except ProcessLookupError:
        pass


def stand_still():
    stopped = set()
    for _ in range(3):  # Some may start others meanwhile.
        for pid in running():
            send(pid, signal.SIGSTOP)
            stopped.add(pid)
    try:
        time.sleep(STILL)
    finally:
        for pid in stopped:
            send(pid, signal.SIGCONT)
    print("standstill of %g s, %d processes, until %s" % (STILL, len(stopped), time.strftime("%T")), file=sys.stderr, flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = subprocess.Popen(sys.argv[1:], env=dict(os.environ, **dict([MARK.split("=")])))
    while True:
        try:
            return command.wait(GAP * random.uniform(0.6, 1.4))
        except subprocess.TimeoutExpired:
            stand_still()


sys.exit(main())
