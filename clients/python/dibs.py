"""Locks and one-time tokens in the database that you already have.

One file, no dependency but the driver: psycopg or psycopg2 (PostgreSQL), PyMySQL (MariaDB). It shares its tables with Dibs for Java and with
any other program that keeps the protocol, docs/protocol.md.

    import dibs, psycopg

    store = dibs.Dibs(lambda: psycopg.connect("dbname=shop"))
    store.create_schema()

    with store.lock("nightly-export").acquire(wait=10) as lease:
        ...                                   # nobody else, in any process, holds this lock
        with connection.transaction():
            lease.guard(connection)           # and nobody gets it before this transaction ends
            ...

A lease is renewed in the background until it is released or lost. Lengths and waits are seconds.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
import json
import logging
import os
import random
import secrets
import threading
import time
import weakref

__all__ = ["Dibs", "Lock", "Lease", "Tokens", "Token", "DibsError", "NotAcquired", "LeaseLost"]

LOG = logging.getLogger("dibs")

_RENEWED_AT_ONCE = 1000
_LOOK_UPS = 5
_TRIES = 3
_LONGEST_RETRY = 1.0


class DibsError(Exception):
    """The database could not be asked, or refused. `__cause__` has the driver's error."""


class NotAcquired(DibsError):
    """Somebody else holds the lock, and held it for as long as the caller would wait."""

    def __init__(self, name, holder):
        super().__init__(f"'{name}' is held" + (f" by {holder}" if holder else ""))
        self.name = name
        self.holder = holder


class LeaseLost(DibsError):
    """The lease is over: it passed, or was taken over or broken. Roll back what was done under it."""

    def __init__(self, name, fence, reason):
        super().__init__(f"the lease on '{name}' (fencing token {fence}) is lost: {reason}")
        self.name = name
        self.fence = fence


# --- time -------------------------------------------------------------------------------------------------------------------------------

if hasattr(time, "CLOCK_BOOTTIME"):

    def _now():
        """Seconds. They go on while the machine is suspended."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:
    _begin = time.time() - time.monotonic()

    def _now():
        """Seconds. This system's monotonic clock may stand still in a suspend, so the wall clock counts where it is ahead."""
        return max(time.monotonic(), time.time() - _begin)


class _Term:
    """For how long to believe in a lease: counted from before the statement was sent, less a margin."""

    def __init__(self, length):
        self.sent = _now()
        self.end = self.sent + length - max(0.02, length / 100)

    def remaining(self):
        return self.end - _now()


def _millis(what, seconds, least, most):
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not least <= seconds <= most:
        raise ValueError(f"{what} is {seconds!r}; it must be {least} to {most} seconds")
    return round(seconds * 1000)


def _check_text(what, text, most=200):
    if not isinstance(text, str) or not text:
        raise ValueError(f"{what} is {text!r}; it must be a text of 1 to {most} characters")
    if "\0" in text:
        raise ValueError(f"{what} has a NUL character")
    try:
        units = len(text.encode("utf-16-le")) // 2
    except UnicodeEncodeError:
        raise ValueError(f"{what} has a lone surrogate") from None
    if units > most:
        raise ValueError(f"{what} has {units} characters (UTF-16 units); {most} are the most")
    return text


# --- databases --------------------------------------------------------------------------------------------------------------------------

_RETRY, _UNKNOWN, _REFUSED = "retry", "unknown", "refused"


class _Postgres:
    dialect = "postgresql"
    _ROLLED_BACK = {"40001", "40P01", "55P03", "23505"}

    def own(self, connection):
        connection.autocommit = True

    def pairs(self, pairs):
        return {"names": [name for name, _ in pairs], "owners": [owner for _, owner in pairs]}

    def outcome(self, error):
        """What is known of a statement that failed: it was undone and may be sent again, nothing is known, or it is refused."""
        state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
        if state in self._ROLLED_BACK:
            return _RETRY
        return _UNKNOWN if state is None or state[:2] in ("08", "57", "58", "XX") else _REFUSED

    def in_transaction(self, connection):
        return not connection.autocommit or int(connection.info.transaction_status) == 2

    def sets(self, cursor):
        yield cursor


class _MariaDb:
    dialect = "mariadb"
    _ROLLED_BACK = {1205, 1213, 1020, 1062, 3572}
    _GONE = {1053, 1077, 1078, 1079, 1152, 1153, 1158, 1159, 1160, 1161, 1317, 1927}

    def own(self, connection):
        connection.autocommit(True)

    def pairs(self, pairs):
        return {"pairs": json.dumps([{"name": name, "owner": owner} for name, owner in pairs])}

    def outcome(self, error):
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        if code in self._ROLLED_BACK:
            return _RETRY
        return _UNKNOWN if code < 1000 or code >= 2000 and code < 3000 or code in self._GONE else _REFUSED

    def in_transaction(self, connection):
        return not connection.get_autocommit() or bool(connection.server_status & 1)

    def sets(self, cursor):
        yield cursor
        while cursor.nextset():
            yield cursor


_DATABASES = {"psycopg": _Postgres, "psycopg2": _Postgres, "pymysql": _MariaDb}


def _database_of(connection):
    for kind in type(connection).__mro__:
        found = _DATABASES.get(kind.__module__.split(".")[0])
        if found:
            return found()
    raise DibsError(f"{type(connection).__module__} is no driver that is known here: {', '.join(_DATABASES)}")


def _is_error_of_driver(error):
    return any(kind.__name__ == "Error" for kind in type(error).__mro__) or isinstance(error, (OSError, EOFError))


class _Failure(Exception):
    """A statement failed; `outcome` says what is known of it."""

    def __init__(self, outcome, cause, advice=""):
        super().__init__(" ".join(str(cause).split()) + advice)
        self.outcome = outcome
        self.cause = cause

    def explained(self):
        error = DibsError(str(self))
        error.__cause__ = self.cause
        return error


class _Connections:
    """Connections of our own, each used for one statement at a time."""

    def __init__(self, connect):
        self._connect = connect
        self._idle = []
        self._mutex = threading.Lock()
        self._abandoned = []
        self.database = None
        try:
            connection = connect()
        except Exception as error:
            raise DibsError(f"no connection: {error}") from error
        self.database = _database_of(connection)
        self.database.own(connection)
        self._idle.append(connection)

    def forked(self):
        """In a child process: these connections are the parent's. They are kept, so that nothing closes them."""
        self._mutex = threading.Lock()
        self._abandoned.extend(self._idle)
        self._idle = []

    def close(self):
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            with contextlib.suppress(Exception):
                connection.close()

    def run(self, statement, /, **parameters):
        """Runs a statement on its own. Returns the rows as dictionaries, and how many rows were changed."""
        connection = None
        try:
            with self._mutex:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                try:
                    connection = self._connect()
                    self.database.own(connection)
                except Exception as error:
                    # Nothing was sent.
                    raise _Failure(_REFUSED, error) from error
            result = run_on(self.database, connection, statement, parameters)
        except _Failure as failure:
            if connection is not None:
                if failure.outcome == _UNKNOWN:
                    with contextlib.suppress(Exception):
                        connection.close()
                else:
                    self._put_back(connection)
            raise
        except BaseException:
            # Interrupted: the answer may still be on its way over this connection.
            if connection is not None:
                with contextlib.suppress(Exception):
                    connection.close()
            raise
        self._put_back(connection)
        return result

    def _put_back(self, connection):
        with self._mutex:
            self._idle.append(connection)


def run_on(database, connection, statement, parameters):
    """Runs all steps of a statement on one connection."""
    rows, count = [], 0
    try:
        cursor = connection.cursor()
        try:
            for when, sql in STATEMENTS[database.dialect][statement]:
                if when == "if no row so far" and rows:
                    continue
                cursor.execute(sql, parameters)
                for result in database.sets(cursor):
                    if result.description:
                        names = [column[0] for column in result.description]
                        rows.extend(dict(zip(names, row)) for row in result.fetchall())
                    elif result.rowcount > 0:
                        count += result.rowcount
        finally:
            cursor.close()
    except Exception as error:
        if not _is_error_of_driver(error):
            raise
        missing = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or error.args[:1] or None
        advice = "; create_schema() or the command 'dibs init' makes the tables" if missing in ("42P01", (1146,)) else ""
        raise _Failure(database.outcome(error), error, advice) from error
    return rows, count


# --- the entry ----------------------------------------------------------------------------------------------------------------------------


_ALL = weakref.WeakSet()


def _forked():
    """In a child process: what the parent holds is the parent's, and so are its connections."""
    for one in list(_ALL):
        one._connections.forked()
        one._keeper.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Dibs:
    """Coordination through one database. Have one in a process; safe for use by any thread.

    connect -- opens a new connection each time. Give it time limits (`connect_timeout`, `tcp_user_timeout`, `read_timeout`): a statement
               that hangs delays the renewal of other leases.
    lease   -- how long a lease lasts without being renewed: 0.1 seconds to a day.
    holder  -- who this is, for people; decides nothing.
    """

    def __init__(self, connect, lease=30, holder=None):
        self._lease = lease
        _millis("lease", lease, 0.1, 86_400)
        self._holder = _check_text("holder", holder or f"{os.uname().nodename if hasattr(os, 'uname') else 'python'}/{os.getpid()}")
        self._connections = _Connections(connect)
        self._keeper = _Keeper(self._connections)
        _ALL.add(self)

    def create_schema(self):
        """Makes the tables of locks and tokens that are not there. Many processes may call it at once."""
        for name in ("create_lock", "create_token"):
            try:
                self._connections.run(name)
            except _Failure as failure:
                # On PostgreSQL two that make a table at the same instant may both see that it is not there.
                if failure.outcome != _RETRY:
                    raise failure.explained()
                self._connections.run(name)

    def lock(self, name, lease=None):
        """A lock by name: 1 to 200 characters, compared exactly. `lock("sync:42")` is Java's `lock("sync", 42)`."""
        seconds = self._lease if lease is None else lease
        _millis("lease", seconds, 0.1, 86_400)
        return Lock(self, _check_text("name", name), seconds)

    def tokens(self, purpose):
        """One-time tokens for a purpose: a token of one is unknown to another."""
        _check_text("purpose", purpose, 100)
        if purpose != purpose.strip():
            raise ValueError(f"purpose {purpose!r} has a blank at an end")
        return Tokens(self._connections, purpose)

    def close(self):
        """Releases all leases and ends the threads. What cannot be released now ends by time."""
        self._keeper.close()
        self._connections.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# --- locks --------------------------------------------------------------------------------------------------------------------------------


class Lock:
    """A lock that can be acquired. Keeps nothing: make as many as you like."""

    def __init__(self, dibs, name, lease):
        self.name = name
        self._dibs = dibs
        self._lease = lease
        self._run = dibs._connections.run

    def try_acquire(self, wait=0):
        """The lease, or None if somebody else held the lock for as long as that. Raises DibsError if the database could not tell."""
        try:
            return self.acquire(wait)
        except NotAcquired:
            return None

    def acquire(self, wait=0):
        """The lease. Waits for so many seconds at most. Raises NotAcquired if somebody else holds the lock."""
        _millis("wait", wait, 0, 10 * 365 * 86_400)
        begin = _now()
        patience = max(wait, min(_LONGEST_RETRY, self._lease / 3))
        pause, failures, looks = 0.005, 0, False
        while True:
            busy = None
            try:
                busy = self._look() if looks else None
                lease, busy = (None, busy) if busy else self._send()
                if lease:
                    return lease
            except _Failure as failure:
                failures += 1
                if failure.outcome != _RETRY or _now() - begin >= patience or wait == 0 and failures >= _TRIES:
                    raise failure.explained()
                busy = None
            else:
                if busy and _now() - begin >= wait:
                    raise NotAcquired(self.name, busy["holder"] if busy["owner"] else None)
                looks = True
            sleep = pause * random.uniform(0.5, 1)
            if busy:
                left = (busy["held_until"] - busy["read_at"]) / 1000
                sleep = min(sleep, max(0.001, left), max(0.001, begin + wait - _now()))
            time.sleep(sleep)
            pause = min(0.1, pause * 2)

    def _look(self):
        """The row that is in the way, read without a lock; or None if an acquire may succeed."""
        rows, _ = self._run("look_lock", name=self.name)
        return next((row for row in rows if row["held_until"] > row["read_at"]), None)

    def _send(self):
        """Sends one acquire, with a token that is never sent again. Returns the lease, or the row that is in the way."""
        keeper = self._dibs._keeper
        keeper.require_open()
        owner = secrets.token_hex(16)
        term = _Term(self._lease)
        try:
            rows, _ = self._run(
                "acquire_lock", name=self.name, owner=owner, holder=self._dibs._holder, lease=_millis("lease", self._lease, 0, 86_400)
            )
        except _Failure as failure:
            if failure.outcome != _UNKNOWN:
                raise
            row = self._look_up(owner)
            if row is None or term.remaining() <= 0:
                keeper.release_later(self.name, owner, self._lease, ghost=True)
                raise
            rows = [row]
        except BaseException:
            keeper.release_later(self.name, owner, self._lease, ghost=True)
            raise
        mine = next((row for row in rows if row["owner"] == owner), None)
        if mine is None:
            if not rows:
                raise _Failure(_RETRY, DibsError("two were first at the same instant"))
            return None, rows[0]
        if term.remaining() <= 0:
            keeper.release_later(self.name, owner, self._lease, ghost=False)
            raise _Failure(_RETRY, DibsError("the grant came after its own end"))
        lease = Lease(keeper, self.name, owner, mine["fence"], self._lease, term)
        keeper.keep(lease)
        return lease, None

    def _look_up(self, owner):
        """After a lost answer. None: not known, or not yet."""
        for attempt in range(_LOOK_UPS):
            try:
                rows, _ = self._run("find_locks", **self._dibs._connections.database.pairs([(self.name, owner)]))
                return next(iter(rows), None)
            except _Failure:
                time.sleep(0.01 * 2**attempt)
        return None


class Lease:
    """A lock that is held. Renewed in the background until it is released or lost. Safe for use by any thread.

    In a `with` statement it is released at the end; if it was lost before, or turns out to be, the end of the block raises LeaseLost.
    """

    def __init__(self, keeper, name, owner, fence, length, term):
        self.name = name
        self.fence = fence
        self._keeper = keeper
        self._owner = owner
        self._length = length
        self._mutex = threading.RLock()
        self._term = term
        self._lost = None
        self._released = False
        self._callbacks = []
        self._renew_at = term.sent + length / 3
        self._process = os.getpid()

    @property
    def valid(self):
        """Whether the lease is held. Asks no database, and is False in a forked child."""
        return self.remaining() > 0

    def remaining(self):
        """For how many seconds nobody else can have the lock, even if no renewal gets through."""
        if self._process != os.getpid():
            return 0
        left = self._expire()
        return max(0, left)

    def check(self):
        """Raises LeaseLost if the lease is not held any more."""
        if self.remaining() <= 0:
            raise self._why_over()

    def on_lost(self, callback):
        """Calls `callback(LeaseLost)` on a thread of its own when the lease is lost; at once if it is lost already."""
        with self._mutex:
            lost = self._lost
            if lost is None:
                self._callbacks.append(callback)
        if lost is not None:
            threading.Thread(target=callback, args=(lost,), daemon=True).start()

    def guard(self, connection):
        """Joins a transaction of yours: nobody gets the lock before it ends. Must be the first statement of the transaction.

        Raises LeaseLost if the lock is not ours: roll back then.
        """
        self.check()
        database = _database_of(connection)
        if not database.in_transaction(connection):
            raise ValueError("guard needs a transaction: begin one, or switch autocommit off")
        try:
            rows, _ = run_on(database, connection, "guard_lock", {"name": self.name, "owner": self._owner})
        except _Failure as failure:
            raise failure.explained()
        if not rows:
            self._keeper.renew_soon(self)
            raise LeaseLost(self.name, self.fence, "in this transaction it is not ours; roll back")

    def release(self):
        """Gives the lock back. Returns whether the database has said that it was ours up to now. The second time it does nothing."""
        if self._process != os.getpid():
            return False
        with self._mutex:
            if self._expire() <= 0:
                return False
            self._term, self._released = None, True
        return self._keeper.release(self)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.release()
        if kind is None and self._lost is not None:
            raise self._lost

    def __repr__(self):
        state = "released" if self._released else "held" if self.valid else "lost"
        return f"Lease({self.name!r}, fence={self.fence}, {state})"

    def _why_over(self):
        if self._process != os.getpid():
            return LeaseLost(self.name, self.fence, "it belongs to the process that this one was forked from")
        return self._lost or DibsError(f"the lease on '{self.name}' is released")

    def _expire(self):
        """Ends the lease here if its time is over. Returns the seconds that are left."""
        with self._mutex:
            if self._term is None:
                return 0
            left = self._term.remaining()
            if left > 0:
                return left
        self._lose("it passed without a renewal that got through in time")
        return 0

    def _extend(self, term):
        """A loss is final: an answer that comes too late changes nothing."""
        with self._mutex:
            if self._term is not None and self._expire() > 0 and term.end > self._term.end:
                self._term = term

    def _lose(self, reason):
        with self._mutex:
            if self._term is None:
                return
            self._term = None
            self._lost = lost = LeaseLost(self.name, self.fence, reason)
            callbacks, self._callbacks = self._callbacks, []
        self._keeper.lost(self)
        LOG.warning("%s", lost)
        for callback in callbacks:
            threading.Thread(target=callback, args=(lost,), daemon=True).start()


class _Loop:
    """A daemon thread that calls `round`, which returns in how many seconds it wants to be called again, or None for never."""

    def __init__(self, name, round):
        self._name = name
        self._round = round
        self._changed = threading.Condition()
        self._due = None
        self._thread = None
        self._stopped = False

    def within(self, seconds):
        due = _now() + seconds
        with self._changed:
            if self._due is None or due < self._due:
                self._due = due
                self._changed.notify()
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._go_round, name=self._name, daemon=True)
                self._thread.start()

    def _go_round(self):
        while True:
            with self._changed:
                while not self._stopped and (self._due is None or self._due > _now()):
                    # A wait may stand still while the machine is suspended.
                    self._changed.wait(None if self._due is None else min(1, max(0.001, self._due - _now())))
                if self._stopped:
                    return
                self._due = None
            try:
                seconds = self._round()
            except Exception:
                LOG.exception("a round of %s failed; it is repeated", self._name)
                seconds = 0.2
            if seconds is not None:
                self.within(seconds)

    def stop(self, seconds):
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)


class _Keeper:
    """Renews the leases of one process, watches their deadlines, and releases later what could not be released at once.

    Three threads, which start when they are first needed. The watch does not talk to the database: one that hangs cannot keep it from
    ending a lease.
    """

    def __init__(self, connections):
        self._connections = connections
        self._closed = False
        self.forked()

    def forked(self):
        """Begins anew, in a child process too: the leases of the parent are the parent's."""
        self._mutex = threading.Lock()
        self._held = {}
        self._pending = []
        self._heartbeat = _Loop("dibs-heartbeat", self._renew)
        self._watch = _Loop("dibs-deadlines", self._watch_deadlines)
        self._releaser = _Loop("dibs-releases", self._release_pending)

    def require_open(self):
        if self._closed:
            raise DibsError("this Dibs is closed")

    def keep(self, lease):
        with self._mutex:
            self._held[lease._owner] = lease
        if self._closed:
            lease.release()
            self.require_open()
        self._heartbeat.within(max(0, lease._renew_at - _now()))
        self._watch.within(max(0, lease.remaining()))

    def _leases(self):
        with self._mutex:
            return list(self._held.values())

    def _forget(self, lease):
        with self._mutex:
            self._held.pop(lease._owner, None)

    def _watch_deadlines(self):
        left = [lease._expire() for lease in self._leases()]
        return min((seconds for seconds in left if seconds > 0), default=None)

    def lost(self, lease):
        self._forget(lease)
        # The row may still name us: others need not wait for its end.
        self.release_later(lease.name, lease._owner, lease._length, ghost=False)

    def renew_soon(self, lease):
        lease._renew_at = _now()
        self._heartbeat.within(0)

    def _renew(self):
        batch = self._next_batch()
        if batch:
            self._renew_batch(batch)
        return min((max(0, lease._renew_at - _now()) for lease in self._leases()), default=None)

    def _next_batch(self):
        """The due lease with the least time left, and those of its length that are half way to their renewal."""
        now = _now()
        held = self._leases()
        due = [lease for lease in held if lease._renew_at <= now]
        if not due:
            return []
        length = min(due, key=lambda lease: lease.remaining())._length
        along = [lease for lease in held if lease._length == length and lease._renew_at - now <= length / 6]
        return sorted(along, key=lambda lease: lease._renew_at)[:_RENEWED_AT_ONCE]

    def _renew_batch(self, batch):
        length = batch[0]._length
        pairs = [(lease.name, lease._owner) for lease in batch]
        term = _Term(length)
        for lease in batch:
            lease._renew_at = term.sent + length / 3
        try:
            rows, _ = self._connections.run("renew_locks", lease=_millis("lease", length, 0, 86_400), **self._pairs(pairs))
            renewed = {row["owner"] for row in rows}
            missing = []
            for lease in batch:
                if lease._owner in renewed:
                    lease._extend(term)
                elif lease._term is not None:
                    missing.append(lease)
            if missing:
                rows, _ = self._connections.run("find_locks", **self._pairs([(lease.name, lease._owner) for lease in missing]))
                ours = {row["owner"] for row in rows}
                for lease in missing:
                    if lease._owner in ours:
                        self._retry_soon(lease)
                    else:
                        lease._lose("the database says that it is not ours any more; it was taken over, broken or has passed")
        except _Failure as failure:
            LOG.info("a renewal failed and is tried again: %s", failure)
            for lease in batch:
                self._retry_soon(lease)

    def _pairs(self, pairs):
        return self._connections.database.pairs(pairs)

    @staticmethod
    def _retry_soon(lease):
        lease._renew_at = _now() + min(0.5, max(0.02, lease._length / 30)) * random.uniform(0.5, 1)

    def release(self, lease):
        self._forget(lease)
        for attempt in range(_TRIES):
            try:
                rows, count = self._connections.run("release_lock", name=lease.name, owner=lease._owner)
                if rows or count:
                    return True
            except _Failure as failure:
                LOG.info("the release of '%s' is left to the background: %s", lease.name, failure)
                break
            time.sleep(0.002)
        if self._may_be_ours(lease):
            # Locked just now.
            self.release_later(lease.name, lease._owner, lease._length, ghost=False)
        else:
            reason = "its release found that it was not ours any more; it was broken or taken over before"
            lease._lost = LeaseLost(lease.name, lease.fence, reason)
        return False

    def _may_be_ours(self, lease):
        try:
            return bool(self._connections.run("find_locks", **self._pairs([(lease.name, lease._owner)]))[0])
        except _Failure:
            return True

    def release_later(self, name, owner, length, ghost):
        """A ghost is a token whose acquire was never answered: it may land after any look, and is released for a whole lease."""
        with self._mutex:
            self._pending.append((name, owner, _now() + length, ghost, itertools.count()))
        self._releaser.within(0)

    def _release_pending(self):
        with self._mutex:
            pending = list(self._pending)
        least = None
        for one in pending:
            name, owner, until, ghost, tries = one
            if _now() >= until or self._is_released(name, owner, ghost):
                with self._mutex:
                    self._pending.remove(one)
            else:
                wait = min(2.0, 0.005 * 2 ** min(10, next(tries)))
                least = wait if least is None else min(least, wait)
        return least

    def _is_released(self, name, owner, ghost):
        try:
            rows, count = self._connections.run("release_lock", name=name, owner=owner)
            if rows or count:
                return True
            return not ghost and not self._connections.run("find_locks", **self._pairs([(name, owner)]))[0]
        except _Failure as failure:
            LOG.debug("a release is tried again: %s", failure)
            return False

    def close(self):
        self._closed = True
        for lease in self._leases():
            lease.release()
        for loop in (self._watch, self._heartbeat, self._releaser):
            loop.stop(2)
        self._release_pending()


# --- tokens -------------------------------------------------------------------------------------------------------------------------------


class Token:
    """What came of a token that was shown. It is yours to use once, if `ok`; else `status` says used, expired, revoked or unknown."""

    def __init__(self, status, subject=None, payload=None):
        self.status = status
        self.subject = subject
        self.payload = payload

    @property
    def ok(self):
        return self.status == "ok"

    def __repr__(self):
        return f"Token({self.status}, subject={self.subject!r})"


class Tokens:
    """One-time tokens for a purpose: of all who show one, exactly one gets ok."""

    def __init__(self, connections, purpose):
        self.purpose = purpose
        self._connections = connections

    def issue(self, subject, ttl, payload=None):
        """A new token for a subject, 43 characters. The database has its digest alone. `ttl` is seconds, up to ten years."""
        text = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode("ascii")
        if payload is not None and len(payload.encode("utf-16-le")) // 2 > 4000:
            raise ValueError("the payload has more than 4000 characters")
        try:
            self._connections.run(
                "issue_token",
                purpose=self.purpose,
                digest=self._digest(text),
                id=secrets.token_hex(16),
                subject=_check_text("subject", subject),
                payload=payload,
                ttl=_millis("ttl", ttl, 0.001, 3650 * 86_400),
            )
        except _Failure as failure:
            raise failure.explained()
        return text

    def consume(self, token):
        """Uses a token up. Of all who do so exactly one gets ok."""
        owner = secrets.token_hex(16)
        for attempt in itertools.count(1):
            try:
                # The same owner each time: after a lost answer the token may be ours already.
                rows, _ = self._connections.run(
                    "consume_token", purpose=self.purpose, digest=self._digest(token), owner=owner, attempt=owner
                )
                return self._result(rows, owner)
            except _Failure as failure:
                if failure.outcome == _REFUSED or attempt == _LOOK_UPS:
                    raise failure.explained()
                time.sleep(0.01 * 2**attempt)

    @staticmethod
    def _result(rows, owner):
        row = next(iter(rows), None)
        if row is None:
            return Token("unknown")
        if row["owner"] == owner:
            return Token("ok", row["subject"], row["payload"])
        return Token(row["ended"] or "expired", row["subject"])

    @staticmethod
    def _digest(token):
        return hashlib.sha256(token.encode("utf-8")).digest()


# --- statements ---------------------------------------------------------------------------------------------------------------------------
# Made by `dibs statements`; not edited by hand.
# begin of statements
STATEMENTS = {
    "postgresql": {
        "create_lock": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70)
"""),
        ],
        "create_token": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    id           varchar(32) COLLATE "C" NOT NULL,
    subject      varchar(200) COLLATE "C" NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) COLLATE "C",
    owner        varchar(32) COLLATE "C",
    attempt      varchar(200) COLLATE "C",
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) WITH (fillfactor = 70)
"""),
        ],
        "issue_token": [
            ("always", r"""
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (%(purpose)s, %(digest)s, %(id)s, %(subject)s, %(payload)s, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + %(ttl)s, 0, 0, 0)
    ON CONFLICT DO NOTHING
"""),
        ],
        "consume_token": [
            ("always", r"""
UPDATE dibs_token
   SET ended = 'used', ends_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = %(owner)s, attempt = %(attempt)s
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
"""),
            ("if no row so far", r"""
WITH replay AS (
    UPDATE dibs_token
   SET replays = replays + 1
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended = 'used' AND attempt <> %(attempt)s
 RETURNING subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
)
SELECT * FROM replay
UNION ALL
SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND NOT EXISTS (SELECT 1 FROM replay)
"""),
        ],
        "acquire_lock": [
            ("always", r"""
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = %(name)s
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = %(name)s AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = %(owner)s,
           holder = %(holder)s,
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + %(lease)s
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT %(name)s, %(owner)s, %(holder)s, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + %(lease)s
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free)
"""),
        ],
        "look_lock": [
            ("always", r"""
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = %(name)s
"""),
        ],
        "renew_locks": [
            ("always", r"""
WITH asked AS MATERIALIZED (
    SELECT %(names)s::text[] AS names, %(owners)s::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + %(lease)s
 WHERE l.ctid = ANY (ARRAY(
    SELECT l.ctid
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED))
RETURNING l.owner
"""),
        ],
        "find_locks": [
            ("always", r"""
WITH asked AS MATERIALIZED (
    SELECT %(names)s::text[] AS names, %(owners)s::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
"""),
        ],
        "release_lock": [
            ("always", r"""
UPDATE dibs_lock AS l
   SET held_until = least(l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint), owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = %(name)s AND owner = %(owner)s AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken
"""),
        ],
        "guard_lock": [
            ("always", r"""
SELECT fence
  FROM dibs_lock
 WHERE name = %(name)s AND owner = %(owner)s AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE
"""),
        ],
    },
    "mariadb": {
        "create_lock": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
    owner       varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    holder      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB
"""),
        ],
        "create_token": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    subject      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    payload      varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    owner        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    attempt      varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
) ENGINE = InnoDB
"""),
        ],
        "issue_token": [
            ("always", r"""
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (%(purpose)s, %(digest)s, %(id)s, %(subject)s, %(payload)s, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + %(ttl)s, 0, 0, 0)
    ON DUPLICATE KEY UPDATE replays = replays
"""),
        ],
        "consume_token": [
            ("always", r"""
BEGIN NOT ATOMIC
    UPDATE dibs_token
   SET ended = 'used', ends_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = %(owner)s, attempt = %(attempt)s
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    IF ROW_COUNT() = 1 THEN
        SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = %(purpose)s AND digest = %(digest)s;
    ELSE
        UPDATE dibs_token
   SET replays = replays + 1
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended = 'used' AND attempt <> %(attempt)s;
        SELECT subject, payload, issued_at, ends_at, ended, owner, attempt, replays, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = %(purpose)s AND digest = %(digest)s LOCK IN SHARE MODE;
    END IF;
END
"""),
        ],
        "acquire_lock": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT %(name)s;
    DECLARE passed int DEFAULT 0;
    DECLARE known int DEFAULT 0;
    DECLARE micros bigint;
    DECLARE millis bigint;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        ROLLBACK;
        RESIGNAL;
    END;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    START TRANSACTION;
    SELECT count(*), count(CASE WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 END) INTO known, passed FROM dibs_lock WHERE name = asked;
    IF passed = 1 THEN
        SET passed = 0;
        SELECT 1 INTO passed FROM dibs_lock WHERE name = asked AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) FOR UPDATE SKIP LOCKED;
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_lock WHERE name = asked;
    SET micros = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6));
    SET millis = micros DIV 1000;
    IF passed = 1 THEN
        UPDATE dibs_lock
           SET owner = %(owner)s,
               holder = %(holder)s,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + %(lease)s
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT IGNORE INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
        VALUES (asked, %(owner)s, %(holder)s, micros, millis, millis + %(lease)s);
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
      FROM dibs_lock
     WHERE name = asked AND owner = %(owner)s;
    COMMIT;
END
"""),
        ],
        "look_lock": [
            ("always", r"""
SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM dibs_lock
 WHERE name = %(name)s
"""),
        ],
        "renew_locks": [
            ("always", r"""
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT STRAIGHT_JOIN l.name, l.owner, l.holder, l.fence, l.acquired_at, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + %(lease)s
  FROM JSON_TABLE(%(pairs)s, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until)
RETURNING owner
"""),
        ],
        "find_locks": [
            ("always", r"""
SELECT STRAIGHT_JOIN l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at
  FROM JSON_TABLE(%(pairs)s, '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
"""),
        ],
        "release_lock": [
            ("always", r"""
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, least(l.held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000))
  FROM dibs_lock AS l
 WHERE l.name = %(name)s AND l.owner = %(owner)s
   FOR UPDATE SKIP LOCKED
    ON DUPLICATE KEY UPDATE held_until = VALUES(held_until), owner = NULL
"""),
        ],
        "guard_lock": [
            ("always", r"""
SELECT g.fence
  FROM (SELECT name FROM dibs_lock WHERE name = %(name)s AND owner = %(owner)s LIMIT 1) AS seen
  STRAIGHT_JOIN dibs_lock AS g ON g.name = seen.name
 WHERE g.owner = %(owner)s AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE
"""),
        ],
    },
}
# end of statements
