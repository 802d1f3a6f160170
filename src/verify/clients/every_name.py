"""A typed program that uses every public name of the package. It runs over a file of SQLite, the one argument."""

from __future__ import annotations

import sqlite3
import sys

import dibs


def connect() -> sqlite3.Connection:
    return sqlite3.connect(sys.argv[1], timeout=10, check_same_thread=False)


def use_locks(store: dibs.Dibs) -> None:
    lock: dibs.Lock = store.lock("every-name", lease=10)
    with lock.acquire(wait=1) as lease:
        held: dibs.Lease = lease
        held.on_lost(lambda lost: print(lost.name, lost.fence))
        assert held.valid and held.remaining() > 0 and held.fence > 0
        rival: dibs.Lease | None = lock.try_acquire()
        assert rival is None
        try:
            lock.acquire()
        except dibs.NotAcquired as busy:
            holder: str | None = busy.holder
            assert holder == "every-name" and isinstance(busy, dibs.DibsError)
        connection = connect()
        connection.execute("BEGIN IMMEDIATE")
        held.guard(connection)
        connection.commit()
        connection.execute("BEGIN IMMEDIATE")
        free: bool = lock.await_free(wait=0.01)
        guarded: bool = lock.try_guard(connection)
        assert not free and not guarded
        connection.rollback()
        connection.close()
        held.check()
    try:
        held.check()
    except dibs.LeaseLost:
        raise
    except dibs.DibsError:
        assert not held.release()


def use_claims(store: dibs.Dibs) -> None:
    connection = connect()
    connection.execute("CREATE TABLE every_name (id integer PRIMARY KEY, claimed_by varchar(32), claimed_until bigint, done int)")
    connection.execute("INSERT INTO every_name (id, done) VALUES (1, 0), (2, 0), (3, 0)")
    connection.commit()
    claims: dibs.Claims = store.claims(
        "every_name", key="id", token="claimed_by", until="claimed_until", where="done = 0", order="id", complete_set="done = 1", lease=10
    )
    with claims.claim(3) as claim:
        some: dibs.Claim = claim
        some.on_lost(lambda lost: print(lost.keys))
        rows: list[dibs.Row] = some.rows
        keys: list[dibs.Key] = some.keys
        assert some.valid and some.held == keys == [row["id"] for row in rows] and len(some.token) == 32
        assert some.renew().done == keys
        completed: dibs.Changed = some.complete([1])
        connection.execute("BEGIN IMMEDIATE")
        joined = some.complete([2], connection)
        connection.commit()
        renewed = some.renew()
        assert (renewed.done, renewed.lost) == ([3], [])
        try:
            some.check()
        except dibs.ClaimLost as lost:
            raise AssertionError(lost.keys) from lost
        released = some.release()
        assert (completed.done, joined.done, released.done) == ([1], [2], [3])
    connection.close()


def use_tokens(store: dibs.Dibs) -> None:
    tokens: dibs.Tokens = store.tokens("every-name")
    text: str = tokens.issue("me", ttl=60, payload="of mine")
    token: dibs.Token = tokens.consume(text)
    assert token.ok and (token.status, token.subject, token.payload) == ("ok", "me", "of mine")


with dibs.Dibs(connect, lease=30, holder="every-name") as store:
    store.create_schema()
    use_locks(store)
    use_claims(store)
    use_tokens(store)
print("ok")
