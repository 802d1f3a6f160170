"""Locks, claims of rows and one-time tokens in the database that you already have.

One file, no dependency but the driver: psycopg or psycopg2 (PostgreSQL), PyMySQL (MariaDB), or Python's own sqlite3. It shares its tables with
Dibs for Java and with any other program that keeps the protocol, docs/lab/protocol.md.

    import dibs, psycopg

    store = dibs.Dibs(lambda: psycopg.connect("dbname=shop"))
    store.create_schema()

    with store.lock("nightly-export").acquire(wait=10) as lease:
        ...                                   # nobody else, in any process, holds this lock
        with connection.transaction():
            lease.guard(connection)           # and nobody gets it before this transaction ends
            ...

    mails = store.claims("mails", where="sent_at IS NULL", complete_set="sent_at = CURRENT_TIMESTAMP")
    with mails.claim(10) as claim:            # ten rows that nobody else gets
        for mail in claim.rows:
            send(mail)
            claim.complete([mail["id"]])

A lease and a claim are renewed in the background until they are released or lost. Lengths and waits are seconds.
"""

from __future__ import annotations

import abc
import base64
import contextlib
import hashlib
import itertools
import json
import logging
import os
import random
import re
import secrets
import socket
import threading
import time
import typing
import uuid
import weakref

__all__ = ["Dibs", "Lock", "Lease", "Claims", "Claim", "Changed", "Tokens", "Token", "DibsError", "NotAcquired", "LeaseLost", "ClaimLost"]

LOG = logging.getLogger("dibs")

_RENEWED_AT_ONCE = 1000
_LOOK_UPS = 5
_TRIES = 3
_LONGEST_RETRY = 1.0
_LONGEST_CHANGE = 10.0
_LARGEST_CLAIM = 10_000
# For how long a claim that was not answered may still be on its way.
_ABANDONED = 30.0

# A connection of any of the drivers; a row as they give it; the key of a row.
Connection = typing.Any
Row = typing.Dict[str, typing.Any]
Key = typing.Union[int, str, bytes]
_Pairs = typing.List[typing.Tuple[str, str]]
_Steps = typing.List[typing.Tuple[str, str]]
_Columns = typing.List[typing.Tuple[str, typing.Any]]
_Result = typing.Tuple[typing.List[Row], int]


class DibsError(Exception):
    """The database could not be asked, or refused. `__cause__` has the driver's error."""


class NotAcquired(DibsError):
    """Somebody else holds the lock, and held it for as long as the caller would wait."""

    def __init__(self, name: str, holder: str | None) -> None:
        super().__init__(f"'{name}' is held" + (f" by {holder}" if holder else ", or a transaction has it"))
        self.name = name
        self.holder = holder


class LeaseLost(DibsError):
    """The lease is over: it expired, or was taken over or broken. Roll back what was done under it."""

    def __init__(self, name: str, fence: int, reason: str) -> None:
        super().__init__(f"the lease on '{name}' (fencing token {fence}) is lost: {reason}")
        self.name = name
        self.fence = fence


class ClaimLost(DibsError):
    """Rows of a claim are not ours any more, and perhaps somebody else's. `keys` has theirs."""

    def __init__(self, table: str, keys: list[Key], reason: str) -> None:
        super().__init__(f"claimed rows of {table} are lost ({_shown(keys)}): {reason}")
        self.keys = keys


# --- time -------------------------------------------------------------------------------------------------------------------------------

if hasattr(time, "CLOCK_BOOTTIME"):

    def _now() -> float:
        """Seconds. They go on while the machine is suspended."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:
    # By how much the wall clock must gain on the monotonic one before that counts: below the margin of every lease, above what reading costs.
    _NOTICED = 0.01
    _asleep, _lead = 0.0, time.time() - time.monotonic()
    _reading = threading.Lock()

    def _now() -> float:
        """Seconds, which never go back. This system's monotonic clock may stand still while the machine is suspended.

        So whatever the wall clock gains on it counts as time that has passed. What the wall clock loses, because somebody set it back, does not.
        """
        global _asleep, _lead
        with _reading:
            monotonic = time.monotonic()
            gained = time.time() - monotonic - _lead
            if gained > _NOTICED:
                _asleep += gained
            if gained > _NOTICED or gained < 0:
                _lead += gained
            return monotonic + _asleep


class _Term:
    """For how long to believe in a lease: counted from before the statement was sent, less a margin."""

    def __init__(self, length: float) -> None:
        self.sent = _now()
        self.end = self.sent + length - max(0.02, length / 100)

    def remaining(self) -> float:
        return self.end - _now()


def _millis(what: str, seconds: float, least: float, most: float) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not least <= seconds <= most:
        raise ValueError(f"{what} is {seconds!r}; it must be {least} to {most} seconds")
    return round(seconds * 1000)


def _check_text(what: str, text: str, most: int = 200) -> str:
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

# A duplicate was undone, too; of a claim it is one of the caller's own making, and would be one again.
_RETRY, _DUPLICATE, _UNKNOWN, _REFUSED, _NOT_SENT = "retry", "duplicate", "unknown", "refused", "not sent"


class _Database(abc.ABC):
    dialect: str
    quote: str
    # What a column of such a type is as a key, and how its type is written in a list of keys.
    key_types: dict[typing.Any, tuple[str, str]]
    # The types of a CHAR and of a bigint.
    char: typing.Any
    bigint: typing.Any
    # A driver takes a single percent sign for a parameter.
    percent = "%%"
    # What stands before the hexadecimal digits of a binary key.
    before_hex = ""

    @abc.abstractmethod
    def own(self, connection: Connection) -> None:
        """Prepares a connection of ours: each statement is a transaction."""

    @abc.abstractmethod
    def pairs(self, pairs: _Pairs) -> dict[str, typing.Any]:
        """Names and owners as parameters."""

    @abc.abstractmethod
    def outcome(self, error: BaseException) -> str:
        """What is known of a statement that failed: it was undone and may be sent again, nothing is known, or it is refused."""

    @abc.abstractmethod
    def in_transaction(self, connection: Connection) -> bool:
        """Whether a transaction of the caller's is open."""

    # Whether a row that a guard finds, and then refuses, stays locked: nothing but its key may be read before.
    keeps_refused_rows = False

    def has_begun(self, connection: Connection) -> bool:
        """Whether a statement has begun the caller's transaction, where the guard cannot tell."""
        return False

    def sets(self, cursor: typing.Any) -> typing.Iterator[typing.Any]:
        """The results of what was executed, one after the other."""
        yield cursor

    def typed(self, run: typing.Callable[..., _Result], described: _Columns, table: str, bare: str) -> _Columns:
        """The columns as the driver describes them: the name, and the type as `key_types` has it."""
        return described

    def takes_bytes(self) -> bool:
        """Whether a binary key can be read from hexadecimal digits."""
        return True

    def in_one(self, steps: _Steps) -> _Steps:
        """Steps that are one transaction."""
        return steps

    def advice(self, error: BaseException) -> str:
        """An addition to the message of an error."""
        return ""

    def put_back(self, connection: Connection) -> None:
        """Before a connection of ours is used again after an error."""


class _Postgres(_Database):
    dialect = "postgresql"
    quote = '"'
    key_types = {
        **dict.fromkeys((20, 21, 23), ("number", "")),
        **dict.fromkeys((25, 1043), ("text", "text")),
        1042: ("text", "bpchar"),
        17: ("binary", "bytea"),
    }
    char = 1042
    bigint = 20
    before_hex = "\\x"
    _ROLLED_BACK = {"40001", "40P01", "55P03"}

    def own(self, connection: Connection) -> None:
        connection.autocommit = True
        # A statement that psycopg 3 has prepared is refused when a column is added to the claimed table.
        if hasattr(connection, "prepare_threshold"):
            connection.prepare_threshold = None

    def pairs(self, pairs: _Pairs) -> dict[str, typing.Any]:
        return {"names": [name for name, _ in pairs], "owners": [owner for _, owner in pairs]}

    def outcome(self, error: BaseException) -> str:
        state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
        if state in self._ROLLED_BACK:
            return _RETRY
        if state == "23505":
            return _DUPLICATE
        return _UNKNOWN if state is None or state[:2] in ("08", "57", "58", "XX") else _REFUSED

    def in_transaction(self, connection: Connection) -> bool:
        return not connection.autocommit or int(connection.info.transaction_status) == 2


def _as_json(pairs: _Pairs) -> dict[str, typing.Any]:
    return {"pairs": json.dumps([{"name": name, "owner": owner} for name, owner in pairs])}


class _MariaDb(_Database):
    dialect = "mariadb"
    quote = "`"
    key_types = {**dict.fromkeys((1, 2, 3, 8, 9), ("number", "bigint")), **dict.fromkeys((253, 254), ("text", "")), "binary": ("binary", ""), "unsigned": ("number", "bigint unsigned")}
    char = 254
    bigint = 8
    _ROLLED_BACK = {1205, 1213, 1020, 3572}
    _GONE = {1053, 1077, 1078, 1079, 1152, 1153, 1158, 1159, 1160, 1161, 1317, 1927}

    def own(self, connection: Connection) -> None:
        connection.autocommit(True)

    def put_back(self, connection: Connection) -> None:
        # An UPDATE of several tables that fails in the middle leaves the transaction of its block open.
        connection.rollback()

    def pairs(self, pairs: _Pairs) -> dict[str, typing.Any]:
        return _as_json(pairs)

    def outcome(self, error: BaseException) -> str:
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        if code in self._ROLLED_BACK:
            return _RETRY
        if code == 1062:
            return _DUPLICATE
        return _UNKNOWN if code < 1000 or code >= 2000 and code < 3000 or code in self._GONE else _REFUSED

    def in_transaction(self, connection: Connection) -> bool:
        # The driver does not notice that an error, as a deadlock, has ended a transaction.
        rows, _ = run_on(self, connection, [("always", "SELECT @@autocommit = 0 OR @@in_transaction = 1 AS joins")], {})
        return bool(rows[0]["joins"] == 1)

    keeps_refused_rows = True

    def has_begun(self, connection: Connection) -> bool:
        # With autocommit on, BEGIN alone looks the same.
        rows, _ = run_on(self, connection, [("always", "SELECT @@autocommit = 0 AND @@in_transaction = 1 AS begun")], {})
        return bool(rows[0]["begun"] == 1)

    def typed(self, run: typing.Callable[..., _Result], described: _Columns, table: str, bare: str) -> _Columns:
        """To the driver, bytes have the type of a text, and all of a bigint are one."""
        rows, _ = run([("always", f"SHOW COLUMNS FROM {table}")])
        found = ((row["Field"], re.match("(?:var)?(binary)|bigint.* (unsigned)", row["Type"])) for row in rows)
        kinds = {name: match[1] or match[2] for name, match in found if match}
        return [(column[0], kinds.get(column[0], column[1])) for column in described]

    def sets(self, cursor: typing.Any) -> typing.Iterator[typing.Any]:
        yield cursor
        while cursor.nextset():
            yield cursor


class _Sqlite(_Database):
    dialect = "sqlite"
    quote = '"'
    key_types = {"number": ("number", ""), "text": ("text", ""), "binary": ("binary", "")}
    char = None
    bigint = "number"
    # The file is busy; a connection of this process has it.
    _ROLLED_BACK = {5, 6}
    _REFUSES = {1, 3, 8, 9, 13, 18, 20, 23, 25, 26}
    # How long one statement waits for the transaction that is writing the file. It is sent again after that.
    _WAIT_MILLIS = 300

    def own(self, connection: Connection) -> None:
        self._require_any_thread(connection)
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {self._WAIT_MILLIS}").fetchall()

    @staticmethod
    def _require_any_thread(connection: Connection) -> None:
        """The driver may have bound it to the thread that has opened it."""
        failed = []

        def use() -> None:
            try:
                connection.execute("SELECT 1").fetchall()
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        if failed:
            raise DibsError(f"open it by sqlite3.connect(.., check_same_thread=False): {failed[0]}") from failed[0]

    def pairs(self, pairs: _Pairs) -> dict[str, typing.Any]:
        return _as_json(pairs)

    def outcome(self, error: BaseException) -> str:
        # Before Python 3.11 there is no code.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in self._ROLLED_BACK:
            return _RETRY
        if code == 19:
            return _DUPLICATE
        return _REFUSED if code in self._REFUSES else _UNKNOWN

    def in_transaction(self, connection: Connection) -> bool:
        # With an isolation level the driver begins one before a statement that writes, as a guard is.
        legacy = getattr(connection, "autocommit", -1) == -1
        return bool(connection.in_transaction or legacy and connection.isolation_level is not None)

    percent = "%"

    def typed(self, run: typing.Callable[..., _Result], described: _Columns, table: str, bare: str) -> _Columns:
        """The driver knows no types. By SQLite's rule, the declared type of a column decides."""
        rows, _ = run([("always", "SELECT name, type FROM pragma_table_info(:name)")], name=bare)
        declared = {row["name"].lower(): row["type"].upper() for row in rows}

        def kind(name: str) -> str:
            words = declared.get(name.lower(), "")
            if "INT" in words:
                return "number"
            if any(word in words for word in ("CHAR", "CLOB", "TEXT")):
                return "text"
            return "binary" if "BLOB" in words else words

        return [(column[0], kind(column[0])) for column in described]

    def takes_bytes(self) -> bool:
        import sqlite3

        return sqlite3.sqlite_version_info >= (3, 41)

    def in_one(self, steps: _Steps) -> _Steps:
        return [("always", "BEGIN IMMEDIATE"), *steps, ("always", "COMMIT")]

    def advice(self, error: BaseException) -> str:
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in self._ROLLED_BACK
        return "; the file is busy: another connection is writing it" if busy else ""

    def put_back(self, connection: Connection) -> None:
        if connection.in_transaction:
            connection.rollback()


_DATABASES: dict[str, type[typing.Any]] = {"psycopg": _Postgres, "psycopg2": _Postgres, "pymysql": _MariaDb, "sqlite3": _Sqlite}


def _database_of(connection: Connection) -> _Database:
    for kind in type(connection).__mro__:
        found = _DATABASES.get(kind.__module__.split(".")[0])
        if found:
            database: _Database = found()
            return database
    raise DibsError(f"{type(connection).__module__} is no driver that is known here: {', '.join(_DATABASES)}")


def _is_error_of_driver(error: BaseException) -> bool:
    return any(kind.__name__ == "Error" for kind in type(error).__mro__) or isinstance(error, (OSError, EOFError))


class _Failure(Exception):
    """A statement failed; `outcome` says what is known of it."""

    def __init__(self, outcome: str, cause: BaseException, advice: str = "") -> None:
        super().__init__(" ".join(str(cause).split()) + advice)
        self.outcome = outcome
        self.cause = cause

    def explained(self) -> DibsError:
        error = DibsError(str(self))
        error.__cause__ = self.cause
        return error


class _Connections:
    """Connections of our own, each used for one statement at a time."""

    def __init__(self, connect: typing.Callable[[], Connection]) -> None:
        self._connect = connect
        self._idle: list[Connection] = []
        self._mutex = threading.Lock()
        self._abandoned: list[Connection] = []
        try:
            connection = connect()
        except Exception as error:
            raise DibsError(f"no connection: {error}") from error
        self.database = _database_of(connection)
        self.database.own(connection)
        self._idle.append(connection)

    def forked(self) -> None:
        """In a child process: these connections are the parent's. They are kept, so that nothing closes them."""
        self._mutex = threading.Lock()
        self._abandoned.extend(self._idle)
        self._idle = []

    def close(self) -> None:
        with self._mutex:
            idle, self._idle = self._idle, []
        for connection in idle:
            with contextlib.suppress(Exception):
                connection.close()

    def run(self, statement: str | _Steps, /, columns: _Columns | None = None, **parameters: typing.Any) -> _Result:
        """Runs a statement on its own, as `run_on` does."""
        connection = None
        try:
            with self._mutex:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                try:
                    connection = self._connect()
                    self.database.own(connection)
                except Exception as error:
                    raise _Failure(_NOT_SENT, error) from error
            result = run_on(self.database, connection, statement, parameters, columns)
        except _Failure as failure:
            if connection is not None:
                if failure.outcome == _UNKNOWN:
                    with contextlib.suppress(Exception):
                        connection.close()
                else:
                    try:
                        self.database.put_back(connection)
                        self._put_back(connection)
                    except Exception:
                        # It has died since. The failure of the statement is what counts.
                        with contextlib.suppress(Exception):
                            connection.close()
            raise
        except BaseException:
            # Interrupted: the answer may still be on its way over this connection.
            if connection is not None:
                with contextlib.suppress(Exception):
                    connection.close()
            raise
        self._put_back(connection)
        return result

    def _put_back(self, connection: Connection) -> None:
        with self._mutex:
            self._idle.append(connection)


def _is_held(row: Row) -> bool:
    return row["owner"] is not None and row["held_until"] > row["read_at"]


def run_on(
    database: _Database,
    connection: Connection,
    statement: str | _Steps,
    parameters: dict[str, typing.Any],
    columns: _Columns | None = None,
) -> _Result:
    """Runs all steps of a statement on one connection. Returns the rows as dictionaries, and how many rows were changed.

    statement -- a name, or steps.
    columns   -- a list that gets the columns as the driver describes them.
    """
    rows: list[Row] = []
    count = 0
    steps = STATEMENTS[database.dialect][statement] if isinstance(statement, str) else statement
    try:
        cursor = connection.cursor()
        try:
            for when, sql in steps:
                if when == "if no row so far" and rows or when == "unless held" and any(map(_is_held, rows)):
                    continue
                cursor.execute(sql, parameters)
                for result in database.sets(cursor):
                    if result.description:
                        if columns is not None:
                            columns.extend(result.description)
                        names = [column[0] for column in result.description]
                        # A connection of the caller's may make a dictionary of each row.
                        rows.extend(dict(row if isinstance(row, dict) else zip(names, row)) for row in result.fetchall())
                    elif result.rowcount > 0:
                        count += result.rowcount
        finally:
            cursor.close()
    except Exception as error:
        if not _is_error_of_driver(error):
            raise
        missing = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or error.args[:1] or None
        is_ours = isinstance(statement, str) and missing in ("42P01", (1146,))
        advice = "; create_schema() or the command 'dibs init' makes the tables" if is_ours else database.advice(error)
        raise _Failure(database.outcome(error), error, advice) from error
    return rows, count


def _join_on(connection: Connection, what: str, statement: str | _Steps, parameters: dict[str, typing.Any]) -> list[Row]:
    """Runs a statement in a transaction of the caller's. Raises ValueError outside of one: there the statement would be a transaction of its own."""
    database = _database_of(connection)
    try:
        if not database.in_transaction(connection):
            raise ValueError(f"{what} needs a transaction: begin one, or switch autocommit off")
        return run_on(database, connection, statement, parameters)[0]
    except _Failure as failure:
        raise failure.explained()


# --- the entry ----------------------------------------------------------------------------------------------------------------------------


_ALL: weakref.WeakSet[Dibs] = weakref.WeakSet()

_KNOWN = 1000
_KNOWN_SECONDS = 60


def _forked() -> None:
    """In a child process: what the parent holds is the parent's, and so are its connections."""
    global _reading
    # Another thread of the parent may have had it.
    _reading = threading.Lock()
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
    holder  -- who this is, for people; decides nothing. By default host and process, as `host:4711`.
    """

    def __init__(self, connect: typing.Callable[[], Connection], lease: float = 30, holder: str | None = None) -> None:
        self._lease = lease
        _millis("lease", lease, 0.1, 86_400)
        self._holder = _check_text("holder", holder or f"{socket.gethostname()[:100]}:{os.getpid()}")
        self._connections = _Connections(connect)
        self._keeper = _Keeper(self._connections)
        _ALL.add(self)
        # Until when a name is known to have a row, and names that a guard has met busy.
        self._known: dict[str, float] = {}
        self._met: set[str] = set()

    def create_schema(self) -> None:
        """Makes the tables of locks and tokens that are not there. Many processes may call it at once."""
        for name in ("create_lock", "create_token"):
            try:
                self._connections.run(name)
            except _Failure as failure:
                # On PostgreSQL two that make a table at the same instant may both see that it is not there.
                if failure.outcome not in (_RETRY, _DUPLICATE):
                    raise failure.explained()
                self._connections.run(name)

    def lock(self, name: str, lease: float | None = None) -> Lock:
        """A lock by name: 1 to 200 characters, compared exactly. `lock("sync:42")` is Java's `lock("sync", 42)`."""
        seconds = self._lease if lease is None else lease
        _millis("lease", seconds, 0.1, 86_400)
        return Lock(self, _check_text("name", name), seconds)

    def claims(
        self,
        table: str,
        key: str = "id",
        token: str = "claimed_by",
        until: str = "claimed_until",
        where: str | None = None,
        order: str | None = None,
        complete_set: str | None = None,
        complete_delete: bool = False,
        lease: float | None = None,
    ) -> Claims:
        """Claims of rows of a table of yours.

        table  -- its name, plain or quoted, with its schema before it if need be; likewise the columns.
        key    -- a unique column of whole numbers, texts or bytes.
        token  -- a column of at least 32 characters, NULL in a row that nobody has claimed.
        until  -- a bigint: until when a claim holds, in milliseconds by the database's clock.
        where  -- which rows are to be done. A completed row must not match it any more.
        order  -- in which order; by default that of the key.
        complete_set, complete_delete -- what completing does to a row. With neither it only loses its mark.
        lease  -- how long a claim holds without being renewed: 0.1 seconds to a day.

        `where`, `order` and `complete_set` are SQL of yours and go into statements as they are: never build them from what a user has written.
        """
        return Claims(self, table, (key, token, until), where, order, complete_set, complete_delete, self._lease if lease is None else lease)

    def tokens(self, purpose: str) -> Tokens:
        """One-time tokens for a purpose: a token of one is unknown to another."""
        _check_text("purpose", purpose, 100)
        if purpose != purpose.strip():
            raise ValueError(f"purpose {purpose!r} has a blank at an end")
        return Tokens(self._connections, purpose)

    def close(self) -> None:
        """Releases all leases and claims, and ends the threads. What cannot be released now ends by time."""
        self._keeper.close()
        self._connections.close()

    def __enter__(self) -> Dibs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# --- locks --------------------------------------------------------------------------------------------------------------------------------


class Lock:
    """A lock that can be acquired. Keeps nothing: make as many as you like."""

    def __init__(self, dibs: Dibs, name: str, lease: float) -> None:
        self.name = name
        self._dibs = dibs
        self._lease = lease
        self._run = dibs._connections.run

    def try_acquire(self, wait: float = 0) -> Lease | None:
        """The lease, or None if somebody else held the lock for as long as that. Raises DibsError if the database could not tell."""
        try:
            return self.acquire(wait)
        except NotAcquired:
            return None

    def acquire(self, wait: float = 0) -> Lease:
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
                is_over = _now() - begin >= patience or wait == 0 and failures >= _TRIES
                if failure.outcome not in (_RETRY, _DUPLICATE) or is_over:
                    raise failure.explained()
                busy = None
            else:
                if busy and _now() - begin >= wait:
                    raise NotAcquired(self.name, busy["holder"] if _is_held(busy) else None)
                looks = True
            sleep = pause * random.uniform(0.5, 1)
            if busy:
                left = (busy["held_until"] - busy["read_at"]) / 1000
                sleep = min(sleep, max(0.001, left), max(0.001, begin + wait - _now()))
            time.sleep(sleep)
            pause = min(0.1, pause * 2)

    def await_free(self, wait: float = 0) -> bool:
        """The step before try_guard: waits until the lock looks free, and adds the row of a new name. Call it before your transaction.

        Waits for so many seconds at most. False: the lock was busy all the time. True promises nothing: somebody else may be faster. A name
        that was free costs nothing for a minute, on MariaDB one look.
        """
        _millis("wait", wait, 0, 10 * 365 * 86_400)
        known, met = self._dibs._known, self._dibs._met
        try:
            if self.name not in met and known.get(self.name, 0) > _now() and not self._dibs._connections.database.keeps_refused_rows:
                return True
            rows, _ = self._run("look_lock", name=self.name)
        except _Failure as failure:
            raise failure.explained()
        if not rows or rows[0]["held_until"] > rows[0]["read_at"] or self.name in met:
            # Waits as others do, also for a transaction: the lease is given back at once.
            lease = self.try_acquire(wait)
            if lease is None:
                return False
            lease.release()
        met.discard(self.name)
        if len(known) >= _KNOWN:
            known.clear()
        known[self.name] = _now() + _KNOWN_SECONDS
        return True

    def try_guard(self, connection: Connection) -> bool:
        """Locks for a transaction of yours, up to its end and without a lease. Must be its first statement; call await_free before it.

        It uses this connection alone. False: busy; end the transaction, and begin with await_free again. Raises DibsError if the name has no
        row, because await_free was not called (on MariaDB that is False); on PostgreSQL if its isolation is above READ COMMITTED, and on
        MariaDB with autocommit off if a statement has begun the transaction: it may see an earlier time. Roll back then.
        """
        try:
            has_begun = _database_of(connection).has_begun(connection)
        except _Failure as failure:
            raise failure.explained() from failure
        if has_begun:
            raise DibsError("try_guard must be the first statement of its transaction, without BEGIN while autocommit is off; roll back")
        rows = _join_on(connection, "try_guard", "guard_free_lock", {"name": self.name})
        if not rows:
            self._missed(connection)
        elif int(rows[0]["is_old"]):
            raise DibsError("try_guard needs READ COMMITTED: the transaction may see a time before it got the lock; roll back")
        elif rows[0]["owner"] is not None:
            _join_on(connection, "try_guard", "take_expired_lock", {"name": self.name})
        return bool(rows)

    def _missed(self, connection: Connection) -> None:
        """After a guard without a row. A row that was known a moment ago was purged: await_free adds it."""
        met, is_known = self._dibs._met, self._dibs._known.get(self.name, 0) > _now()
        # On MariaDB a look would fix what the transaction sees.
        if not is_known and not _database_of(connection).keeps_refused_rows:
            if not _join_on(connection, "try_guard", "look_lock", {"name": self.name}):
                raise DibsError(f"try_guard: {self.name!r} has no row; roll back, and call await_free(..) before the transaction: it adds the row")
        if len(met) >= _KNOWN:
            met.clear()
        met.add(self.name)

    def _look(self) -> Row | None:
        """The row that is in the way, read without a lock; or None if an acquire may succeed."""
        rows, _ = self._run("look_lock", name=self.name)
        return next((row for row in rows if row["held_until"] > row["read_at"]), None)

    def _send(self) -> tuple[Lease, None] | tuple[None, Row]:
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

    def _look_up(self, owner: str) -> Row | None:
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

    def __init__(self, keeper: _Keeper, name: str, owner: str, fence: int, length: float, term: _Term) -> None:
        self.name = name
        self.fence = fence
        self._keeper = keeper
        self._owner = owner
        self._length = length
        self._mutex = threading.RLock()
        self._term: _Term | None = term
        self._lost: LeaseLost | None = None
        self._released = False
        self._callbacks: list[typing.Callable[[LeaseLost], object]] = []
        self._renew_at = term.sent + length / 3
        self._process = os.getpid()

    @property
    def valid(self) -> bool:
        """Whether the lease is held. Asks no database, and is False in a forked child."""
        return self.remaining() > 0

    def remaining(self) -> float:
        """For how many seconds nobody else can have the lock, even if no renewal gets through."""
        if self._process != os.getpid():
            return 0
        left = self._expire()
        return max(0, left)

    def check(self) -> None:
        """Raises LeaseLost if the lease is not held any more."""
        if self.remaining() <= 0:
            raise self._why_over()

    def on_lost(self, callback: typing.Callable[[LeaseLost], object]) -> None:
        """Calls `callback(LeaseLost)` on a thread of its own when the lease is lost; at once if it is lost already."""
        with self._mutex:
            lost = self._lost
            if lost is None:
                self._callbacks.append(callback)
        if lost is not None:
            threading.Thread(target=callback, args=(lost,), daemon=True).start()

    def guard(self, connection: Connection) -> None:
        """Joins a transaction of yours: nobody gets the lock before it ends. Must be the first statement of the transaction.

        Raises LeaseLost if the lock is not ours: roll back then.
        """
        self.check()
        rows = _join_on(connection, "guard", "guard_lock", {"name": self.name, "owner": self._owner})
        if not rows:
            self._keeper.renew_soon(self)
            raise LeaseLost(self.name, self.fence, "in this transaction it is not ours; roll back")

    def release(self) -> bool:
        """Gives the lock back. Returns whether the database has said that it was ours up to now. The second time it does nothing."""
        if self._process != os.getpid():
            return False
        with self._mutex:
            if self._expire() <= 0:
                return False
            self._term, self._released = None, True
        return self._keeper.release(self)

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.release()
        if kind is None and self._lost is not None:
            raise self._lost

    def __repr__(self) -> str:
        state = "released" if self._released else "held" if self.valid else "lost"
        return f"Lease({self.name!r}, fence={self.fence}, {state})"

    def _why_over(self) -> DibsError:
        if self._process != os.getpid():
            return LeaseLost(self.name, self.fence, "it belongs to the process that this one was forked from")
        return self._lost or DibsError(f"the lease on '{self.name}' is released")

    def _expire(self) -> float:
        """Ends the lease here if its time is over. Returns the seconds that are left."""
        with self._mutex:
            if self._term is None:
                return 0
            left = self._term.remaining()
            if left > 0:
                return left
        self._lose("it expired without a renewal that got through in time")
        return 0

    def _extend(self, term: _Term) -> None:
        """A loss is final: an answer that comes too late changes nothing."""
        with self._mutex:
            if self._term is not None and self._expire() > 0 and term.end > self._term.end:
                self._term = term

    def _lose(self, reason: str) -> None:
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

    def __init__(self, name: str, round: typing.Callable[[], float | None]) -> None:
        self._name = name
        self._round = round
        self._changed = threading.Condition()
        self._due: float | None = None
        self._thread: threading.Thread | None = None
        self._stopped = False

    def within(self, seconds: float) -> None:
        due = _now() + seconds
        with self._changed:
            if self._due is None or due < self._due:
                self._due = due
                self._changed.notify()
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._go_round, name=self._name, daemon=True)
                self._thread.start()

    def _go_round(self) -> None:
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

    def stop(self, seconds: float) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)


class _Keeper:
    """Renews the leases and claims of one process, watches their deadlines, and releases later what could not be released at once.

    Three threads, which start when they are first needed. The watch does not talk to the database: one that hangs cannot keep it from
    ending a lease.
    """

    def __init__(self, connections: _Connections) -> None:
        self._connections = connections
        self._closed = False
        self.forked()

    def forked(self) -> None:
        """Begins anew, in a child process too: the leases and claims of the parent are the parent's."""
        self._mutex = threading.Lock()
        self._held: dict[str, Lease] = {}
        self._claims: dict[str, Claim] = {}
        self._pending: list[tuple[typing.Callable[[], bool], float, typing.Iterator[int]]] = []
        self._heartbeat = _Loop("dibs-heartbeat", self._renew)
        self._watch = _Loop("dibs-deadlines", self._watch_deadlines)
        self._releaser = _Loop("dibs-releases", self._release_pending)

    def require_open(self) -> None:
        if self._closed:
            raise DibsError("this Dibs is closed")

    def keep(self, lease: Lease) -> None:
        with self._mutex:
            self._held[lease._owner] = lease
        if self._closed:
            lease.release()
            self.require_open()
        self._heartbeat.within(max(0, lease._renew_at - _now()))
        self._watch.within(max(0, lease.remaining()))

    def keep_claim(self, claim: Claim) -> None:
        with self._mutex:
            self._claims[claim.token] = claim
        if self._closed:
            claim.close()
            self.require_open()
        self._heartbeat.within(max(0, claim._renew_at - _now()))
        self._watch.within(max(0, claim._expire()))

    def _leases(self) -> list[Lease]:
        with self._mutex:
            return list(self._held.values())

    def _open_claims(self) -> list[Claim]:
        with self._mutex:
            return list(self._claims.values())

    def _forget(self, lease: Lease) -> None:
        with self._mutex:
            self._held.pop(lease._owner, None)

    def forget_claim(self, claim: Claim) -> None:
        with self._mutex:
            self._claims.pop(claim.token, None)

    def _watch_deadlines(self) -> float | None:
        left = [one._expire() for one in self._leases() + self._open_claims()]
        return min((seconds for seconds in left if seconds > 0), default=None)

    def lost(self, lease: Lease) -> None:
        self._forget(lease)
        # The row may still name us: others need not wait for its end.
        self.release_later(lease.name, lease._owner, lease._length, ghost=False)

    def renew_soon(self, lease: Lease) -> None:
        lease._renew_at = _now()
        self._heartbeat.within(0)

    def _renew(self) -> float | None:
        batch = self._next_batch()
        if batch:
            self._renew_batch(batch)
        for claim in self._open_claims():
            if claim._renew_at <= _now():
                self._renew_claim(claim)
        return min((max(0, one._renew_at - _now()) for one in self._leases() + self._open_claims()), default=None)

    def _renew_claim(self, claim: Claim) -> None:
        try:
            claim._renew()
        except _Failure as failure:
            LOG.info("a renewal failed and is tried again: %s", failure)
            self.retry_soon(claim)

    def _next_batch(self) -> list[Lease]:
        """The due lease with the least time left, and those of its length that are half way to their renewal."""
        now = _now()
        held = self._leases()
        due = [lease for lease in held if lease._renew_at <= now]
        if not due:
            return []
        length = min(due, key=lambda lease: lease.remaining())._length
        along = [lease for lease in held if lease._length == length and lease._renew_at - now <= length / 6]
        return sorted(along, key=lambda lease: lease._renew_at)[:_RENEWED_AT_ONCE]

    def _renew_batch(self, batch: list[Lease]) -> None:
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
                        self.retry_soon(lease)
                    else:
                        lease._lose("the database says that it is not ours any more; it was taken over or broken, or it has expired")
        except _Failure as failure:
            LOG.info("a renewal failed and is tried again: %s", failure)
            for lease in batch:
                self.retry_soon(lease)

    def _pairs(self, pairs: _Pairs) -> dict[str, typing.Any]:
        return self._connections.database.pairs(pairs)

    @staticmethod
    def retry_soon(one: Lease | Claim) -> None:
        one._renew_at = _now() + min(0.5, max(0.02, one._length / 30)) * random.uniform(0.5, 1)

    def release(self, lease: Lease) -> bool:
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

    def _may_be_ours(self, lease: Lease) -> bool:
        try:
            return bool(self._connections.run("find_locks", **self._pairs([(lease.name, lease._owner)]))[0])
        except _Failure:
            return True

    def release_later(self, name: str, owner: str, length: float, ghost: bool) -> None:
        """A ghost is a token whose acquire was never answered: it may land after any look, and is released for a whole lease."""
        self.try_again(lambda: self._is_released(name, owner, ghost), length)

    def try_again(self, attempt: typing.Callable[[], bool], seconds: float) -> None:
        """Calls `attempt` in the background until it returns True, for so many seconds at most."""
        with self._mutex:
            self._pending.append((attempt, _now() + seconds, itertools.count()))
        self._releaser.within(0)

    def _release_pending(self) -> float | None:
        with self._mutex:
            pending = list(self._pending)
        least = None
        for one in pending:
            attempt, until, tries = one
            if _now() >= until or attempt():
                with self._mutex:
                    self._pending.remove(one)
            else:
                wait = min(2.0, 0.005 * 2 ** min(10, next(tries)))
                least = wait if least is None else min(least, wait)
        return least

    def _is_released(self, name: str, owner: str, ghost: bool) -> bool:
        try:
            rows, count = self._connections.run("release_lock", name=name, owner=owner)
            if rows or count:
                return True
            return not ghost and not self._connections.run("find_locks", **self._pairs([(name, owner)]))[0]
        except _Failure as failure:
            LOG.debug("a release is tried again: %s", failure)
            return False

    def close(self) -> None:
        self._closed = True
        for lease in self._leases():
            lease.release()
        for claim in self._open_claims():
            claim.close()
        for loop in (self._watch, self._heartbeat, self._releaser):
            loop.stop(2)
        self._release_pending()


# --- claims -------------------------------------------------------------------------------------------------------------------------------

_NAME = re.compile(r'([^\W\d][\w$]*)|"((?:[^"\0]|"")+)"|`((?:[^`\0]|``)+)`|\[((?:[^]\0]|]])+)]')


def _name(what: str, text: str, quote: str, most: int = 1) -> tuple[str, str]:
    """A name as a statement takes it, and its last part without quotes. It is plain, or quoted in the way of any database."""
    parts, at = [], 0
    while isinstance(text, str) and len(text) <= 1000:
        part = _NAME.match(text, at)
        if not part:
            break
        plain, at = part[1], part.end()
        bare = plain or part[0][1:-1].replace(part[0][-1] * 2, part[0][-1])
        parts.append(plain or quote + bare.replace(quote, quote * 2) + quote)
        if at == len(text) and len(parts) <= most:
            return ".".join(parts), bare
        if text[at : at + 1] != ".":
            break
        at += 1
    raise ValueError(f"{text!r} is not a {what}'s name: letters, digits and underscores, or quoted as in \"order\"")


def _check_sql(what: str, text: str, quote: str) -> str:
    """SQL of the caller's must be complete in itself, so that it cannot change what stands around it."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{what} is {text!r}; it must be a piece of SQL")
    wrong, depth, at = None, 0, 0
    while at < len(text) and not wrong:
        c, next_one = text[at], text[at + 1 : at + 2]
        if c in "'\"`[":
            end = text.find("]" if c == "[" else c, at + 1)
            wrong = f"opens a {c} that it does not close" if end < 0 else None
            at = end
        elif c in "()":
            depth += 1 if c == "(" else -1
            wrong = "closes a parenthesis that it did not open" if depth < 0 else None
        elif c == ";":
            wrong = "has a semicolon"
        elif c + next_one in ("--", "/*") or c == "#" and quote == "`":
            wrong = "has a comment"
        elif c in ":?" and next_one == c:
            at += 1
        elif c in ":?" or c == "$" and next_one.isdigit() and not re.match(r"[\w$]", text[at - 1 : at]):
            wrong = "has a parameter, which nobody would bind"
        at += 1
    if depth > 0 and not wrong:
        wrong = "opens a parenthesis that it does not close"
    if wrong:
        raise ValueError(f"{what} {wrong}: {text}")
    return text.strip()


def _filled(sql: str, texts: dict[str, str]) -> str:
    """All at once, so that nothing in a text of the caller's is taken for a place to fill."""
    return re.sub(r"\{(\w+)\}", lambda place: texts[place[1]], sql)


def _shown(keys: list[Key]) -> str:
    return ", ".join(map(_told, keys[:10])) + (", .." if len(keys) > 10 else "")


def _told(key: Key) -> str:
    """Bytes as hexadecimal digits, and 16 of them as a UUID: many tables keep one so."""
    if not isinstance(key, bytes):
        return str(key)
    return str(uuid.UUID(bytes=key)) if len(key) == 16 else key.hex()


def _as_key(value: typing.Any) -> Key:
    """Of bytes, a driver may give a view."""
    key: Key = bytes(value) if isinstance(value, (bytearray, memoryview)) else value
    return key


class Changed(typing.NamedTuple):
    """The keys of the rows that were still ours and are changed, and of those that were not ours any more and were left alone."""

    done: list[Key]
    lost: list[Key]


class Claims:
    """Claims of rows of one table. Safe for use by any thread; made by `Dibs.claims`."""

    def __init__(
        self,
        dibs: Dibs,
        table: str,
        columns: tuple[str, str, str],
        where: str | None,
        order: str | None,
        complete_set: str | None,
        complete_delete: bool,
        lease: float,
    ) -> None:
        if complete_set is not None and complete_delete:
            raise ValueError("complete_set and complete_delete exclude each other")
        self.table = table
        self._connections = dibs._connections
        self._keeper = dibs._keeper
        self._length = lease
        self._millis = _millis("lease", lease, 0.1, 86_400)
        quote = self._connections.database.quote
        key, token, until = (_name("column", column, quote)[0] for column in columns)
        texts = {
            "table": _name("table", table, quote, 3)[0],
            "key": key,
            "token": token,
            "until": until,
            # No statement finds a row whose key is NULL.
            "where": f"t.{key} IS NOT NULL" + ("" if where is None else f" AND ({_check_sql('where', where, quote)})"),
            "order": key if order is None else _check_sql("order", order, quote),
            "effect": "" if complete_set is None else _check_sql("complete_set", complete_set, quote),
        }
        self._texts = {name: text.replace("%", self._connections.database.percent) for name, text in texts.items()}
        self._bare = _name("table", table, quote, 3)[1]
        self._completes = "delete_rows" if complete_delete else "complete_rows"
        self._look_at_columns(columns)

    def _look_at_columns(self, names: tuple[str, str, str]) -> None:
        """What is wrong is said here, and not by the first claim."""
        database = self._connections.database
        described: _Columns = []
        try:
            self._connections.run(self._steps("check_condition"), columns=described)
        except _Failure as failure:
            raise failure.explained()
        try:
            described = database.typed(self._connections.run, described, self._texts["table"], self._bare)
        except _Failure as failure:
            raise failure.explained()
        key, token, until = (self._column(described, _name("column", name, database.quote)[1]) for name in names)
        if key[1] not in database.key_types:
            raise DibsError(f"the column {key[0]} of {self.table} cannot be the key: it is no whole number, text or bytes")
        if database.key_types.get(token[1], ("",))[0] != "text":
            raise DibsError(f"the column {token[0]} of {self.table} is not a text; a token needs 32 characters")
        if until[1] not in (database.bigint, "unsigned"):
            raise DibsError(f"the column {until[0]} of {self.table} is not a bigint; it is to hold milliseconds since 1970")
        self._key = key[0]
        self._is_char = key[1] == database.char
        kind, self._texts["type"] = database.key_types[key[1]]
        self._is_binary = kind == "binary"
        if self._is_binary and not database.takes_bytes():
            raise DibsError(f"the column {key[0]} of {self.table} cannot be the key: bytes need SQLite 3.41, which has unhex")
        for name, text in CLAIM_KEYS[database.dialect][kind].items():
            self._texts[name] = _filled(text, self._texts)
        statements = ("claim_rows", "find_rows", "still_rows", "renew_rows", "release_rows", "release_token", self._completes)
        self._statements = {name: self._steps(name) for name in statements}
        self._statements["claim_rows"] = database.in_one(self._statements["claim_rows"])

    def _column(self, described: _Columns, bare: str) -> tuple[str, typing.Any]:
        """As the database has it: a name that is not quoted may be folded to lower case."""
        exact = [column for column in described if column[0] == bare]
        found = exact or [column for column in described if column[0].lower() == bare.lower()]
        if found:
            return found[0]
        raise DibsError(f"{self.table} has no column {bare}; it has {', '.join(column[0] for column in described)}")

    def _steps(self, statement: str) -> _Steps:
        steps = STATEMENTS[self._connections.database.dialect][statement]
        place = "{effect}" if self._texts["effect"] else "{effect}, "
        return [(when, _filled(sql if place == "{effect}" else sql.replace(place, ""), self._texts)) for when, sql in steps]

    def _run(self, statement: str, **parameters: typing.Any) -> list[Row]:
        return self._connections.run(self._statements[statement], **parameters)[0]

    def _parameters(self, keys: typing.Iterable[Key]) -> dict[str, str]:
        return {"keys": json.dumps([{"dibs_key1": self._sent(key)} for key in keys], ensure_ascii=False)}

    def _sent(self, key: Key) -> int | str:
        return self._connections.database.before_hex + key.hex() if isinstance(key, bytes) else key

    def key_of(self, row: Row) -> Key:
        return _as_key(row[self._key])

    def same(self, key: Key) -> Key:
        """What tells a key from others: a session may read the blanks at the end of a CHAR, or not. Bytes may be given as hexadecimal digits."""
        if self._is_binary:
            with contextlib.suppress(ValueError):
                return bytes.fromhex(key.replace("-", "")) if isinstance(key, str) else _as_key(key)
        return key.rstrip(" ") if self._is_char and isinstance(key, str) else key

    def answered(self, rows: list[Row], keys: typing.Iterable[Key]) -> set[Key]:
        """Those of these keys that the rows have."""
        answered = {self.same(row["dibs_key1"]) for row in rows}
        return {key for key in keys if self.same(key) in answered}

    def _change(self, statement: str, token: str, keys: list[Key]) -> set[Key]:
        """Returns the keys of those that were ours."""
        rows = self._run(statement, token=token, lease=self._millis, **self._parameters(keys)) if keys else []
        return self.answered(rows, keys)

    def claim(self, n: int) -> Claim:
        """Up to n free rows, in order; none if nothing is free. Raises DibsError if the database could not tell."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _LARGEST_CLAIM:
            raise ValueError(f"a claim of {n!r} rows is out of bounds; it must be between 1 and {_LARGEST_CLAIM}")
        begin, pause = _now(), 0.005
        while True:
            try:
                return self._send(n)
            except _Failure as failure:
                if failure.outcome != _RETRY or _now() - begin >= _LONGEST_CHANGE:
                    raise failure.explained()
            time.sleep(pause * random.uniform(0.5, 1))
            pause = min(0.1, pause * 2)

    def _send(self, n: int) -> Claim:
        """Sends one claim, with a token that is never sent again."""
        self._keeper.require_open()
        token = secrets.token_hex(16)
        term = _Term(self._length)
        try:
            rows = self._run("claim_rows", token=token, n=n, lease=self._millis)
        except _Failure as failure:
            if failure.outcome != _UNKNOWN:
                raise
            rows = self._look_up(token)
            if not rows or term.remaining() <= 0:
                self.release_later(token, ghost=not rows)
                raise _Failure(_UNKNOWN, failure.cause, f" (the token of the claim is {token})") from failure.cause
        except BaseException:
            self.release_later(token, ghost=True)
            raise
        if term.remaining() <= 0:
            self.release_later(token, ghost=False)
            raise _Failure(_RETRY, DibsError("the rows came after the end of their claim"))
        marked = [row for row in rows if any(value is not None for value in row.values())]
        if len(marked) < len(rows):
            why = f"the database left a free row of {self.table} as it was, without an error: a trigger or a policy refuses the claim"
            if not marked:
                raise DibsError(why)
            LOG.warning(why)
        rows = marked
        kinds = bytes if self._is_binary else (int, str)
        if not all(isinstance(self.key_of(row), kinds) for row in rows):
            self.release_later(token, ghost=False)
            raise DibsError(f"a key in the column {self._key} of {self.table} is NULL, or no value of the column's type")
        claim = Claim(self, token, rows, term)
        if rows:
            self._keeper.keep_claim(claim)
        return claim

    def _look_up(self, token: str) -> list[Row]:
        """After a lost answer. No rows: not known, or not yet."""
        for attempt in range(_LOOK_UPS):
            try:
                return self._run("find_rows", token=token)
            except _Failure:
                time.sleep(0.01 * 2**attempt)
        return []

    def release_later(self, token: str, ghost: bool) -> None:
        """A ghost is a token whose claim was never answered: it may land after any look."""
        self._keeper.try_again(lambda: self._is_released(token, ghost), _ABANDONED)

    def _is_released(self, token: str, ghost: bool) -> bool:
        try:
            released = self._run("release_token", token=token)
            # A row that was locked is still there.
            return bool(released or not ghost) and not self._run("find_rows", token=token)
        except _Failure as failure:
            LOG.debug("a release is tried again: %s", failure)
            return False


class Claim:
    """Rows that are claimed. Renewed in the background until they are completed, released or lost. Safe for use by any thread.

    In a `with` statement those that are left are released at the end.
    """

    def __init__(self, claims: Claims, token: str, rows: list[Row], term: _Term) -> None:
        self.token = token
        self.rows = rows
        self.keys = [claims.key_of(row) for row in rows]
        self._claims = claims
        self._length = claims._length
        self._mutex = threading.RLock()
        self._held = dict.fromkeys(self.keys)
        # Those that the last renewal found locked, and until when they are ours all the same.
        self._behind: dict[Key, _Term] = {}
        # Those that have expired: they can still be completed while nobody has taken them.
        self._lost: dict[Key, None] = {}
        # Those of them that are just being changed: the answer tells what came of them.
        self._untold: set[Key] = set()
        # Those that may go without being lost: they are just being changed, or were completed in a transaction of the caller's, and when.
        self._going: dict[Key, int] = {}
        self._joined: dict[Key, float] = {}
        self._reason = ""
        self._term = term
        self._closed = False
        self._callbacks: list[typing.Callable[[ClaimLost], object]] = []
        self._renew_at = term.sent + claims._length / 3
        self._process = os.getpid()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def held(self) -> list[Key]:
        """The keys of the rows that are certainly still ours. Asks no database, and is empty in a forked child."""
        if self._process != os.getpid() or self._expire() <= 0:
            return []
        with self._mutex:
            return list(self._held)

    @property
    def valid(self) -> bool:
        """Whether no row was lost, and those that are left are certainly still ours. Asks no database."""
        self._expire()
        return self._process == os.getpid() and not self._closed and not self._lost

    def check(self) -> None:
        """Raises ClaimLost if rows were lost."""
        if self._process != os.getpid():
            raise ClaimLost(self._claims.table, self.keys, "they belong to the process that this one was forked from")
        self._expire()
        with self._mutex:
            if self._lost:
                raise ClaimLost(self._claims.table, list(self._lost), self._reason)
            if self._closed:
                raise DibsError(f"the claim on {self._claims.table} is closed")

    def on_lost(self, callback: typing.Callable[[ClaimLost], object]) -> None:
        """Calls `callback(ClaimLost)` on a thread of its own when rows are lost; at once if some are lost already."""
        with self._mutex:
            self._callbacks.append(callback)
            lost = list(self._lost)
        if lost:
            self._call_back([callback], lost)

    def renew(self) -> Changed:
        """Renews now; the background does it, too. Returns which rows are still ours, and which have turned out to be lost."""
        self._require_own()
        try:
            return self._renew()
        except _Failure as failure:
            raise failure.explained()

    def complete(self, keys: typing.Iterable[Key] | None = None, connection: Connection | None = None) -> Changed:
        """Completes rows: all that are left, or these. Returns which were completed; the others were not ours any more and are as they were.

        With a connection it joins a transaction of yours: the rows are completed if and only if that commits. Else it raises DibsError if
        the answer was lost and nobody can tell what came of it.
        """
        self._require_own()
        chosen = self._chosen(keys)
        if connection is not None:
            return self._complete_in(connection, chosen)
        return self._changed(keys, chosen, self._send(self._claims._completes, chosen))

    def release(self, keys: typing.Iterable[Key] | None = None) -> Changed:
        """Gives rows back: all that are left, or these. Returns which were.

        A row that is locked just now counts as lost. It is given back in the background if all were to be, else when the claim is closed.
        """
        self._require_own()
        chosen = self._chosen(keys)
        done = self._send("release_rows", chosen)
        locked = set()
        for pause in (0.002, 0.01, 0.05):
            rest = [key for key in chosen if key not in done]
            try:
                locked = self._claims._change("still_rows", self.token, rest)
            except _Failure as failure:
                raise failure.explained()
            if not locked:
                break
            time.sleep(pause)
            done |= self._send("release_rows", [key for key in rest if key in locked])
        changed = self._changed(keys, chosen, done, locked - done)
        if keys is None and self._held:
            self.close()
        return changed

    def close(self) -> None:
        """Releases the rows that are left. Never raises: what cannot be released now is released in the background, or ends by time."""
        if self._process != os.getpid():
            return
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            left = list(self._held)
            self._held.clear()
        self._claims._keeper.forget_claim(self)
        try:
            if self._claims._change("release_rows", self.token, left) >= set(left):
                return
        except _Failure as failure:
            LOG.info("the release of a claim is left to the background: %s", failure)
        self._claims.release_later(self.token, ghost=False)

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Claim({self._claims.table!r}, {len(self.rows)} rows, {len(self._held)} held)"

    def _require_own(self) -> None:
        if self._process != os.getpid():
            self.check()

    def _chosen(self, keys: typing.Iterable[Key] | None) -> list[Key]:
        if keys is None:
            with self._mutex:
                return [key for key in self.keys if key in self._held or key in self._lost]
        chosen: dict[Key, None] = {}
        ours = {self._claims.same(key): key for key in self.keys}
        for key in keys:
            if self._claims.same(key) not in ours:
                raise ValueError(f"{key!r} is not the key of a row of this claim")
            chosen[ours[self._claims.same(key)]] = None
        return list(chosen)

    def _complete_in(self, connection: Connection, keys: list[Key]) -> Changed:
        parameters = {"token": self.token, **self._claims._parameters(keys)}
        rows = _join_on(connection, "complete", self._claims._statements[self._claims._completes], parameters) if keys else []
        done = self._claims.answered(rows, keys)
        # Before the caller can commit: from then on a renewal misses them.
        with self._mutex:
            self._joined.update(dict.fromkeys(done, _now()))
        return Changed([key for key in keys if key in done], [key for key in keys if key not in done])

    def _send(self, statement: str, keys: list[Key]) -> set[Key]:
        """Sends a change until it is answered. What is not ours any more when it is sent again was changed by the statement that was not
        answered, if our claim has not expired: nobody else can have taken it. Else nobody knows.
        """
        if not keys:
            return set()
        begin, pause = _now(), 0.005
        unanswered, unclear, why = set(), set(), None
        self._mark_going(keys, 1)
        try:
            while True:
                # Before it is sent: afterwards a renewal misses what has been changed.
                with self._mutex:
                    held, lost = [key for key in keys if key in self._held], [key for key in keys if key in self._lost]
                try:
                    answered = self._claims._change(statement, self.token, keys)
                    break
                except _Failure as failure:
                    if failure.outcome == _UNKNOWN:
                        unanswered.update(held)
                        unclear.update(lost)
                    if failure.outcome in (_REFUSED, _DUPLICATE) or _now() - begin >= _LONGEST_CHANGE:
                        if not unanswered and not unclear:
                            raise failure.explained()
                        answered, why = set(), failure.explained()
                        break
                time.sleep(pause * random.uniform(0.5, 1))
                pause = min(0.1, pause * 2)
            unanswered -= answered
            unclear -= answered
            if why or self._closed or self._term.remaining() <= 0:
                unclear |= unanswered
                unanswered = set()
            if statement == self._claims._completes and unclear:
                rows = [key for key in keys if key in unclear]
                raise DibsError(
                    f"whether the rows {_shown(rows)} of {self._claims.table} were completed is not known: the answer was lost. Look in the table"
                ) from why
            if why:
                raise why
            with self._mutex:
                self._untold.difference_update(keys)
            return answered | unanswered
        finally:
            self._mark_going(keys, -1)
            with self._mutex:
                untold = [key for key in keys if key in self._untold]
                self._untold.difference_update(untold)
            self._tell(untold)

    def _mark_going(self, keys: list[Key], by: int) -> None:
        with self._mutex:
            for key in keys:
                self._going[key] = self._going.get(key, 0) + by

    def _changed(
        self, named: typing.Iterable[Key] | None, keys: list[Key], done: set[Key], locked: typing.Collection[Key] = ()
    ) -> Changed:
        """These are no longer ours, but for those that are locked. Of all that were left, those completed in a transaction are not lost."""
        with self._mutex:
            for key in keys:
                if key not in locked:
                    self._held.pop(key, None)
                    self._behind.pop(key, None)
                    self._lost.pop(key, None)
            if named is None:
                keys = [key for key in keys if key in done or key not in self._joined]
            is_over = not self._held
        if is_over:
            self._claims._keeper.forget_claim(self)
        return Changed([key for key in keys if key in done], [key for key in keys if key not in done])

    def _renew(self) -> Changed:
        """What was not renewed is locked just now, if the row still says that it is ours."""
        keys = self.held
        term = _Term(self._length)
        self._renew_at = term.sent + self._length / 3
        renewed = self._claims._change("renew_rows", self.token, keys)
        rest = [key for key in keys if key not in renewed]
        locked = self._claims._change("still_rows", self.token, rest)
        gone = [key for key in rest if key not in locked]
        self._extend(term, renewed, locked)
        if locked:
            self._claims._keeper.retry_soon(self)
        self._lose(gone, "the database says that they are not ours any more; the claim has expired, or was released by force")
        with self._mutex:
            # Those that were completed in a transaction of the caller's are neither.
            lost = [key for key in gone if key not in self._joined]
        return Changed([key for key in keys if key not in gone], lost)

    def _expire(self) -> float:
        """Ends the claim here if its time is over. Returns the seconds that are left."""
        with self._mutex:
            expired = [key for key, term in self._behind.items() if term.remaining() <= 0]
            if self._term.remaining() <= 0:
                expired = list(self._held)
            if expired:
                self._lose(expired, "the claim expired without a renewal that got through in time", expired=True)
            left = min(term.remaining() for term in (self._term, *self._behind.values()))
            return max(0, left) if self._held and not self._closed else 0

    def _extend(self, term: _Term, renewed: set[Key], locked: set[Key]) -> None:
        """A loss is final: an answer that comes too late changes nothing. What is locked keeps its old end."""
        with self._mutex:
            for key in renewed:
                if self._joined.get(key, term.sent) < term.sent:
                    # Its transaction was rolled back.
                    del self._joined[key]
            self._expire()
            if self._held and term.end > self._term.end:
                for key in renewed:
                    self._behind.pop(key, None)
                for key in locked:
                    if key in self._held:
                        self._behind.setdefault(key, self._term)
                self._term = term

    def _lose(self, keys: list[Key], reason: str, expired: bool = False) -> None:
        with self._mutex:
            lost = []
            for key in keys:
                if key not in self._held or not expired and self._going.get(key):
                    continue
                del self._held[key]
                self._behind.pop(key, None)
                if key in self._joined:
                    continue
                self._lost[key] = None
                self._reason = reason
                if self._going.get(key):
                    self._untold.add(key)
                else:
                    lost.append(key)
            is_over = not self._held
        if is_over:
            self._claims._keeper.forget_claim(self)
        self._tell(lost)

    def _tell(self, lost: list[Key]) -> None:
        if lost:
            with self._mutex:
                callbacks = list(self._callbacks)
            LOG.warning("%s", ClaimLost(self._claims.table, lost, self._reason))
            self._call_back(callbacks, lost)

    def _call_back(self, callbacks: list[typing.Callable[[ClaimLost], object]], lost: list[Key]) -> None:
        for callback in callbacks:
            threading.Thread(target=callback, args=(ClaimLost(self._claims.table, lost, self._reason),), daemon=True).start()


# --- tokens -------------------------------------------------------------------------------------------------------------------------------


class Token:
    """What came of a token that was shown. It is yours to use once, if `ok`; else `status` says used, expired, revoked or unknown."""

    def __init__(self, status: str, subject: str | None = None, payload: str | None = None) -> None:
        self.status = status
        self.subject = subject
        self.payload = payload

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def __repr__(self) -> str:
        return f"Token({self.status}, subject={self.subject!r})"


class Tokens:
    """One-time tokens for a purpose: of all who show one, exactly one gets ok."""

    _FORM = re.compile("[A-Za-z0-9_-]{43}")

    def __init__(self, connections: _Connections, purpose: str) -> None:
        self.purpose = purpose
        self._connections = connections

    def issue(self, subject: str, ttl: float, payload: str | None = None) -> str:
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

    def consume(self, token: str | None) -> Token:
        """Uses a token up. Of all who do so exactly one gets ok. What is no token, None too, is unknown."""
        if not isinstance(token, str) or not self._FORM.fullmatch(token):
            return Token("unknown")
        owner, attempt = secrets.token_hex(16), 0
        while True:
            attempt += 1
            try:
                # The same owner each time: after a lost answer the token may be ours already.
                rows, _ = self._connections.run(
                    "consume_token", purpose=self.purpose, digest=self._digest(token), owner=owner, attempt=owner
                )
                return self._result(rows, owner)
            except _Failure as failure:
                if failure.outcome in (_REFUSED, _NOT_SENT) or attempt == _LOOK_UPS:
                    raise failure.explained()
                time.sleep(0.01 * 2**attempt)

    @staticmethod
    def _result(rows: list[Row], owner: str) -> Token:
        row = next(iter(rows), None)
        if row is None:
            return Token("unknown")
        if row["owner"] == owner:
            return Token("ok", row["subject"], row["payload"])
        return Token(row["ended"] or "expired", row["subject"])

    @staticmethod
    def _digest(token: str) -> bytes:
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
    used_at      bigint,
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
        "guard_free_lock": [
            ("always", r"""
SELECT CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END AS is_old, owner
  FROM dibs_lock
 WHERE name = %(name)s AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR UPDATE SKIP LOCKED
"""),
        ],
        "take_expired_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = %(name)s
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
   SET ended = 'used', used_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, owner = %(owner)s, attempt = %(attempt)s
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended IS NULL AND ends_at > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
"""),
            ("if no row so far", r"""
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_token
 WHERE purpose = %(purpose)s AND digest = %(digest)s
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
), locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + %(lease)s
 WHERE l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE
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
   SET held_until = 0, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = %(name)s AND owner = %(owner)s AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
   AND owner = %(owner)s
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
        "claim_rows": [
            ("always", r"""
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)) AND {where} AND 1 = 1
     ORDER BY {order}
     LIMIT %(n)s
       FOR NO KEY UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {table} AS t
       SET {until} = floor(((SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + %(lease)s) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = %(token)s
     WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND ({token} IS NULL OR {until} <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint))
 RETURNING t.*
)
SELECT t.*
  FROM (SELECT * FROM dibs_taken AS t WHERE {token} = %(token)s) AS t
  FULL JOIN (SELECT 1 AS dibs_gap
              WHERE (SELECT count(*) FROM dibs_picked)
                    > (SELECT count(*) FROM dibs_taken AS t WHERE {token} = %(token)s)) AS dibs_unmarked ON false
 ORDER BY {order}
"""),
        ],
        "find_rows": [
            ("always", r"""
SELECT t.*
  FROM {table} AS t
 WHERE {token} = %(token)s
 ORDER BY {order}
"""),
        ],
        "still_rows": [
            ("always", r"""
WITH dibs_json AS MATERIALIZED (
    SELECT %(keys)s::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
SELECT t.{key} AS dibs_key1
  FROM dibs_asked AS k, {table} AS t
 WHERE {key_match} AND {token} = %(token)s AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
"""),
        ],
        "renew_rows": [
            ("always", r"""
WITH dibs_json AS MATERIALIZED (
    SELECT %(keys)s::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = %(token)s AND {until} > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) + %(lease)s
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = %(token)s
RETURNING t.{key} AS dibs_key1
"""),
        ],
        "release_rows": [
            ("always", r"""
WITH dibs_json AS MATERIALIZED (
    SELECT %(keys)s::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
), dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = %(token)s AND 1 = 1
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = %(token)s
RETURNING t.{key} AS dibs_key1
"""),
        ],
        "complete_rows": [
            ("always", r"""
WITH dibs_json AS MATERIALIZED (
    SELECT %(keys)s::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = %(token)s
RETURNING t.{key} AS dibs_key1
"""),
        ],
        "release_token": [
            ("always", r"""
WITH dibs_picked AS MATERIALIZED (
    SELECT t.{key} AS dibs_key1
      FROM {table} AS t
     WHERE {token} = %(token)s
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked)) AND {token} = %(token)s
RETURNING t.{key} AS dibs_key1
"""),
        ],
        "check_condition": [
            ("always", r"""
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
"""),
        ],
        "delete_rows": [
            ("always", r"""
WITH dibs_json AS MATERIALIZED (
    SELECT %(keys)s::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)
DELETE FROM {table} AS t
 WHERE t.{key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked)) AND {token} = %(token)s
RETURNING t.{key} AS dibs_key1
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
    used_at      bigint,
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
        "guard_free_lock": [
            ("always", r"""
SELECT 0 AS is_old, owner
  FROM dibs_lock
 WHERE name = %(name)s AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
   FOR UPDATE SKIP LOCKED
"""),
        ],
        "take_expired_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = %(name)s
"""),
        ],
        "issue_token": [
            ("always", r"""
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
VALUES (%(purpose)s, %(digest)s, %(id)s, %(subject)s, %(payload)s, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + %(ttl)s, 0, 0, 0)
    ON DUPLICATE KEY UPDATE tries = tries
"""),
        ],
        "consume_token": [
            ("always", r"""
BEGIN NOT ATOMIC
    UPDATE dibs_token
   SET ended = 'used', used_at = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000), owner = %(owner)s, attempt = %(attempt)s
 WHERE purpose = %(purpose)s AND digest = %(digest)s AND ended IS NULL AND ends_at > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000);
    SELECT subject, payload, issued_at, used_at AS ends_at, owner FROM dibs_token WHERE purpose = %(purpose)s AND digest = %(digest)s AND owner = %(owner)s;
END
"""),
            ("if no row so far", r"""
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_token WHERE purpose = %(purpose)s AND digest = %(digest)s LOCK IN SHARE MODE
"""),
        ],
        "acquire_lock": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE asked varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT %(name)s;
    DECLARE expired int DEFAULT 0;
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
    SELECT count(*), count(CASE WHEN held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) THEN 1 END) INTO known, expired FROM dibs_lock WHERE name = asked;
    IF expired = 1 THEN
        SET expired = 0;
        SELECT 1 INTO expired FROM dibs_lock WHERE name = asked AND held_until <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) FOR UPDATE SKIP LOCKED;
    END IF;
    SELECT name, owner, holder, fence, acquired_at, held_until, (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AS read_at FROM dibs_lock WHERE name = asked;
    SET micros = timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6));
    SET millis = micros DIV 1000;
    IF expired = 1 THEN
        UPDATE dibs_lock
           SET owner = %(owner)s,
               holder = %(holder)s,
               fence = greatest(fence + 1, micros),
               acquired_at = millis,
               held_until = millis + %(lease)s
         WHERE name = asked;
    ELSEIF known = 0 THEN
        INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
        VALUES (asked, %(owner)s, %(holder)s, micros, millis, millis + %(lease)s)
            ON DUPLICATE KEY UPDATE name = VALUES(name);
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
  FROM JSON_TABLE(convert(%(pairs)s USING utf8mb4), '$[*]' COLUMNS (
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
  FROM JSON_TABLE(convert(%(pairs)s USING utf8mb4), '$[*]' COLUMNS (
           name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.name',
           owner varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$.owner')) AS pair
  JOIN dibs_lock AS l FORCE INDEX (PRIMARY) ON l.name = pair.name
 WHERE l.owner = pair.owner AND l.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
"""),
        ],
        "release_lock": [
            ("always", r"""
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT l.name, l.owner, l.holder, l.fence, l.acquired_at, 0
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
 WHERE g.owner = %(owner)s AND g.held_until > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) AND @@in_transaction = 1
   FOR UPDATE
"""),
        ],
        "claim_rows": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1
              FROM {table} AS t
             WHERE ({token} IS NULL OR {until} <= (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)) AND {where} AND 1 = 1
             ORDER BY {order}
             LIMIT %(n)s
               FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = floor(((timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + %(lease)s) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = %(token)s;
    IF row_count() < json_length(dibs_mine) THEN
        SIGNAL SQLSTATE '45D1B' SET MESSAGE_TEXT = 'a row was read and locked, and is not found by its own key: key type';
    END IF;
    SELECT t.* FROM {table} AS t WHERE {token} = %(token)s ORDER BY {order};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
        "find_rows": [
            ("always", r"""
SELECT t.*
  FROM {table} AS t
 WHERE {token} = %(token)s
 ORDER BY {order}
"""),
        ],
        "still_rows": [
            ("always", r"""
SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
SELECT t.{key} AS dibs_key1
  FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
       STRAIGHT_JOIN {table} AS t ON {key_match}
 WHERE {token} = %(token)s AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
"""),
        ],
        "renew_rows": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = %(token)s AND {until} > (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000)
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = (timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) DIV 1000) + %(lease)s;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
        "release_rows": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT json_arrayagg(json_object('dibs_key1', k.dibs_key1)) INTO dibs_mine
      FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = %(token)s AND 1 = 1
       FOR UPDATE SKIP LOCKED;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
        "complete_rows": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = %(token)s
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {effect}, {until} = NULL, {token} = NULL
     WHERE {token} = %(token)s;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
        "release_token": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT group_concat_max_len = 1073741824 FOR
    SELECT json_arrayagg(json_object({key_member})) INTO dibs_mine
      FROM (SELECT t.{key} AS dibs_key1 FROM {table} AS t WHERE {token} = %(token)s FOR UPDATE SKIP LOCKED) AS k;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    UPDATE JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
       SET {until} = NULL, {token} = NULL;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(dibs_mine, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match};
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
        "check_condition": [
            ("always", r"""
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
"""),
        ],
        "delete_rows": [
            ("always", r"""
BEGIN NOT ATOMIC
    DECLARE dibs_own int DEFAULT @@autocommit = 1 AND @@in_transaction = 0;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
        IF dibs_own THEN
            ROLLBACK;
        END IF;
        RESIGNAL;
    END;
    IF dibs_own THEN
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION;
    END IF;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    SELECT t.{key} AS dibs_key1
      FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = %(token)s
       FOR UPDATE;
    SET STATEMENT join_cache_level = 0, max_seeks_for_key = 1, group_concat_max_len = 1073741824, sql_safe_updates = 0 FOR
    DELETE t
      FROM JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({key_list})) AS k
           STRAIGHT_JOIN {table} AS t ON {key_match}
     WHERE {token} = %(token)s;
    IF dibs_own THEN
        COMMIT;
    END IF;
END
"""),
        ],
    },
    "sqlite": {
        "create_lock": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_lock (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
)
"""),
        ],
        "create_token": [
            ("always", r"""
CREATE TABLE IF NOT EXISTS dibs_token (
    purpose      varchar(200) NOT NULL,
    digest       binary(32) NOT NULL,
    id           varchar(32) NOT NULL,
    subject      varchar(200) NOT NULL,
    payload      varchar(4000),
    issued_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    ended        varchar(10),
    used_at      bigint,
    owner        varchar(32),
    attempt      varchar(200),
    replays      bigint NOT NULL,
    tries        bigint NOT NULL,
    window_until bigint NOT NULL,
    PRIMARY KEY (purpose, digest),
    UNIQUE (purpose, subject, id),
    UNIQUE (purpose, ends_at, digest)
)
"""),
        ],
        "guard_free_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = :name AND held_until <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING 0 AS is_old, owner
"""),
        ],
        "take_expired_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = :name
"""),
        ],
        "issue_token": [
            ("always", r"""
INSERT INTO dibs_token (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)
SELECT :purpose, :digest, :id, :subject, :payload, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + :ttl, 0, 0, 0
 WHERE NOT EXISTS (SELECT 1 FROM dibs_token WHERE purpose = :purpose AND digest = :digest)
"""),
        ],
        "consume_token": [
            ("always", r"""
UPDATE dibs_token
   SET ended = 'used', used_at = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), owner = :owner, attempt = :attempt
 WHERE purpose = :purpose AND digest = :digest AND ended IS NULL AND ends_at > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING subject, payload, issued_at, used_at AS ends_at, owner
"""),
            ("if no row so far", r"""
SELECT subject, payload, issued_at, coalesce(used_at, ends_at) AS ends_at, ended, owner, attempt, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_token
 WHERE purpose = :purpose AND digest = :digest
"""),
        ],
        "acquire_lock": [
            ("always", r"""
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = :name
"""),
            ("unless held", r"""
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, :owner, :holder, (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) * 1000), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer), cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + :lease)
    ON CONFLICT (name) DO UPDATE
   SET owner = excluded.owner,
       holder = excluded.holder,
       fence = max(fence + 1, excluded.fence),
       acquired_at = excluded.acquired_at,
       held_until = excluded.held_until
 WHERE held_until <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
"""),
        ],
        "look_lock": [
            ("always", r"""
SELECT name, owner, holder, fence, acquired_at, held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM dibs_lock
 WHERE name = :name
"""),
        ],
        "renew_locks": [
            ("always", r"""
UPDATE dibs_lock AS l
   SET held_until = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + :lease
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(:pairs)) AS pair
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING owner
"""),
        ],
        "find_locks": [
            ("always", r"""
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) AS read_at
  FROM (SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.owner') AS owner FROM json_each(:pairs)) AS pair CROSS JOIN dibs_lock AS l
 WHERE l.name = pair.name AND l.owner = pair.owner AND l.held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
"""),
        ],
        "release_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET held_until = 0, owner = NULL
 WHERE name = :name AND owner = :owner
"""),
        ],
        "guard_lock": [
            ("always", r"""
UPDATE dibs_lock
   SET held_until = held_until
 WHERE name = :name AND owner = :owner AND held_until > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING fence
"""),
        ],
        "claim_rows": [
            ("always", r"""
UPDATE {table} AS t
   SET {until} = (cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + :lease) / 4 * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = :token
 WHERE (t.{key}) IN (SELECT t.{key}
                        FROM {table} AS t
                       WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1
                       ORDER BY {order}
                       LIMIT :n)
"""),
            ("always", r"""
SELECT t.*
  FROM (SELECT 0 AS dibs_unmarked
         UNION ALL
        SELECT 1 WHERE changes() < :n AND EXISTS (SELECT 1 FROM {table} AS t WHERE ({token} IS NULL OR {until} <= cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)) AND {where} AND 1 = 1)) AS dibs_picked
  LEFT JOIN {table} AS t ON dibs_picked.dibs_unmarked = 0 AND {token} = :token
 WHERE dibs_picked.dibs_unmarked = 1 OR {token} = :token
 ORDER BY {order}
"""),
        ],
        "find_rows": [
            ("always", r"""
SELECT t.*
  FROM {table} AS t
 WHERE {token} = :token
 ORDER BY {order}
"""),
        ],
        "still_rows": [
            ("always", r"""
SELECT t.{key} AS dibs_key1
  FROM (SELECT {key_list} FROM json_each(:keys)) AS k CROSS JOIN {table} AS t
 WHERE {key_match} AND {token} = :token AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
"""),
        ],
        "renew_rows": [
            ("always", r"""
UPDATE {table} AS t
   SET {until} = cast(round((julianday('now') - 2440587.5) * 86400000) AS integer) + :lease
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(:keys)) AS k) AND {token} = :token AND {until} > cast(round((julianday('now') - 2440587.5) * 86400000) AS integer)
RETURNING {key} AS dibs_key1
"""),
        ],
        "release_rows": [
            ("always", r"""
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(:keys)) AS k) AND {token} = :token AND 1 = 1
RETURNING {key} AS dibs_key1
"""),
        ],
        "complete_rows": [
            ("always", r"""
UPDATE {table} AS t
   SET {effect}, {until} = NULL, {token} = NULL
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(:keys)) AS k) AND {token} = :token
RETURNING {key} AS dibs_key1
"""),
        ],
        "release_token": [
            ("always", r"""
UPDATE {table} AS t
   SET {until} = NULL, {token} = NULL
 WHERE {token} = :token
RETURNING {key} AS dibs_key1
"""),
        ],
        "check_condition": [
            ("always", r"""
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order}
"""),
        ],
        "delete_rows": [
            ("always", r"""
DELETE FROM {table} AS t
 WHERE (t.{key}) IN (SELECT dibs_key1 FROM (SELECT {key_list} FROM json_each(:keys)) AS k) AND {token} = :token
RETURNING {key} AS dibs_key1
"""),
        ],
    },
}
CLAIM_KEYS = {
    "postgresql": {
        "binary": {"key_list": "dibs_key1 {type}", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
        "number": {"key_list": "dibs_key1 bigint", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
        "text": {"key_list": "dibs_key1 {type}", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
    },
    "mariadb": {
        "binary": {"key_list": "dibs_key1 varchar(6144) CHARACTER SET latin1 PATH '$.dibs_key1'", "key_match": "t.{key} = unhex(k.dibs_key1)", "key_member": "'dibs_key1', hex(dibs_key1)"},
        "number": {"key_list": "dibs_key1 {type} PATH '$.dibs_key1'", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1 + 0"},
        "text": {"key_list": "dibs_key1 varchar(3072) CHARACTER SET utf8mb4 PATH '$.dibs_key1'", "key_match": "t.{key} = json_unquote(json_quote(k.dibs_key1))", "key_member": "'dibs_key1', convert(dibs_key1 USING utf8mb4)"},
    },
    "sqlite": {
        "binary": {"key_list": "unhex(json_extract(value, '$.dibs_key1')) AS dibs_key1", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
        "number": {"key_list": "json_extract(value, '$.dibs_key1') AS dibs_key1", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
        "text": {"key_list": "json_extract(value, '$.dibs_key1') AS dibs_key1", "key_match": "t.{key} = k.dibs_key1", "key_member": "'dibs_key1', dibs_key1"},
    },
}
# end of statements
