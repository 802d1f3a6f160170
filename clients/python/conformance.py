"""Lets `dibs conformance` drive dibs.py: dibs conformance --url jdbc:.. -- python3 clients/python/conformance.py

`--broken RULE` breaks a rule on purpose, to show that the run finds it: a name of BROKEN, below.
"""

import json
import os
import re
import sys
import time

import dibs


def connect():
    if os.environ["DIBS_DIALECT"] == "sqlite":
        import sqlite3

        return sqlite3.connect(os.environ["DIBS_DATABASE"], timeout=10, check_same_thread=False)
    host, port = os.environ["DIBS_HOST"], int(os.environ["DIBS_PORT"])
    database, user = os.environ["DIBS_DATABASE"], os.environ.get("DIBS_USER", "")
    password = os.environ.get("DIBS_PASSWORD", "")
    if os.environ["DIBS_DIALECT"] == "postgresql":
        try:
            import psycopg as driver
        except ImportError:
            import psycopg2 as driver
        return driver.connect(host=host, port=port, dbname=database, user=user, password=password, connect_timeout=5)
    import pymysql

    return pymysql.connect(
        host=host, port=port, database=database, user=user, password=password, charset="utf8mb4", read_timeout=10, connect_timeout=5
    )


def change_statement(name, pattern, replacement):
    for statements in dibs.STATEMENTS.values():
        changed = [(when, re.sub(pattern, replacement, sql)) for when, sql in statements[name]]
        assert changed != statements[name], f"{name} has no {pattern}"
        statements[name] = changed


# As each driver writes a parameter.
OWNER = r"(\w\.)?owner = (%\(owner\)s|:owner)"


def token_twice():
    dibs.secrets.token_hex = lambda size: "0123456789abcdef" * 2


def no_renewal():
    dibs._Keeper._renew_batch = lambda keeper, batch: time.sleep(0.1)
    dibs._Keeper._renew_claim = lambda keeper, claim: time.sleep(0.1)


def no_deadline():
    dibs._Term.remaining = lambda term: 1
    no_renewal()


def no_margin():
    begin = dibs._Term.__init__

    def begin_without(term, length):
        begin(term, length)
        term.end = term.sent + length

    dibs._Term.__init__ = begin_without


def deadline_from_answer():
    """The time at which a term is believed to begin is that of the answer."""

    def count_from_now(change, term_of, length_of):
        def changed(one, *arguments):
            term, length = term_of(*arguments), length_of(one, *arguments)
            term.end = dibs._now() + length - max(0.02, length / 100)
            return change(one, *arguments)

        return changed

    dibs.Lease.__init__ = count_from_now(dibs.Lease.__init__, lambda *all: all[-1], lambda lease, *all: all[-2])
    dibs.Lease._extend = count_from_now(dibs.Lease._extend, lambda term: term, lambda lease, term: lease._length)
    dibs.Claim.__init__ = count_from_now(dibs.Claim.__init__, lambda *all: all[-1], lambda claim, claims, *all: claims._length)


def guard_unheeded():
    dibs.Lease.guard = lambda lease, connection: None


def guard_of_any_owner():
    change_statement("guard_lock", OWNER, r"\2 = \2")


def guard_without_end():
    change_statement("guard_lock", r"AND (g\.)?held_until > .*", "")


def guard_outside():
    dibs._join_on = lambda connection, what, statement, parameters: dibs.run_on(
        dibs._database_of(connection), connection, statement, parameters
    )[0]
    # On MariaDB the statement refuses, too.
    dibs.STATEMENTS["mariadb"]["guard_lock"] = [
        (when, sql.replace(" AND @@in_transaction = 1", "")) for when, sql in dibs.STATEMENTS["mariadb"]["guard_lock"]
    ]


def guard_elsewhere():
    """The guard is over at once: it has a connection of its own."""
    guard = dibs.Lease.guard

    def guard_on_another(lease, connection):
        other = connect()
        guard(lease, other)
        other.rollback()
        other.close()

    dibs.Lease.guard = guard_on_another


def busy_unheeded():
    dibs.Lock.try_guard = lambda lock, connection: True


def expired_owner_unheeded():
    change_statement("take_expired_lock", r"owner = NULL", "owner = owner")


def release_of_any_owner():
    change_statement("release_lock", OWNER, r"\2 = \2")


def release_always_said():
    release = dibs.Lease.release
    dibs.Lease.release = lambda lease: release(lease) or True


def claim_token_unheeded():
    change_statement("complete_rows", r"{token} = (%\(token\)s|:token)", r"\1 = \1")


def claim_transaction_unheeded():
    dibs.Claim._complete_in = lambda claim, connection, keys: claim.complete(keys)


def joined_rows_lost():
    """A renewal knows nothing of what was completed in a transaction."""
    dibs.Claim._extend = lambda claim, term, renewed, locked: None


BROKEN = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        token_twice,
        no_renewal,
        no_deadline,
        no_margin,
        deadline_from_answer,
        guard_unheeded,
        guard_of_any_owner,
        guard_without_end,
        guard_outside,
        guard_elsewhere,
        busy_unheeded,
        expired_owner_unheeded,
        release_of_any_owner,
        release_always_said,
        claim_token_unheeded,
        claim_transaction_unheeded,
        joined_rows_lost,
    )
}


class Client:
    def __init__(self):
        self.store = dibs.Dibs(connect, holder="conformance")
        self.lease = None
        self.claims = {}
        self.claimed = None
        self.awaited = set()

    def acquire(self, name, leaseMillis, waitMillis):
        self.lease = self.store.lock(name, lease=leaseMillis / 1000).try_acquire(wait=waitMillis / 1000)
        return {"got": self.lease is not None, "fence": self.lease.fence if self.lease else None}

    def valid(self):
        return {"valid": self.lease is not None and self.lease.valid}

    def add(self, table, millis):
        return self.add_in(lambda connection: self.lease.guard(connection), table, millis)

    def add_free(self, name, table, millis):
        lock = self.store.lock(name)

        def guard(connection):
            if not lock.try_guard(connection):
                raise dibs.DibsError("busy")

        if name not in self.awaited:
            # Once, whatever it answers: later only the guard decides.
            lock.await_free()
            self.awaited.add(name)
        return self.add_in(guard, table, millis)

    def add_in(self, guard, table, millis):
        """Read first and written later: what only the guard makes safe."""
        connection = connect()
        try:
            cursor = connection.cursor()
            guard(connection)
            cursor.execute(f"SELECT n FROM {table} WHERE id = 1")
            (count,) = cursor.fetchone()
            time.sleep(millis / 1000)
            cursor.execute(f"UPDATE {table} SET n = {count + 1} WHERE id = 1")
            connection.commit()
            return {"added": True}
        except dibs.DibsError:
            connection.rollback()
            return {"added": False}
        finally:
            connection.close()

    def guard_outside(self, after):
        return self.outside(after, lambda connection: self.lease.guard(connection))

    def complete_outside(self, keys, after):
        return self.outside(after, lambda connection: self.claimed.complete(keys, connection))

    def outside(self, statements, join):
        """Whether it refuses to join a connection on which no transaction is open after these statements."""
        connection = connect()
        try:
            if hasattr(connection, "begin"):
                connection.autocommit(True)
            elif hasattr(connection, "isolation_level") and os.environ["DIBS_DIALECT"] == "sqlite":
                connection.isolation_level = None
            else:
                connection.autocommit = True
            for statement in statements:
                connection.cursor().execute(statement)
            join(connection)
            return {"refused": False}
        except (ValueError, dibs.DibsError):
            return {"refused": True}
        finally:
            connection.close()

    def release(self):
        return {"released": self.lease is not None and self.lease.release()}

    def claim(self, table, n, leaseMillis):
        if table not in self.claims:
            self.claims[table] = self.store.claims(table, where="done = 0", complete_set="done = done + 1", lease=leaseMillis / 1000)
        self.claimed = self.claims[table].claim(n)
        return {"keys": self.claimed.keys}

    def claim_valid(self):
        return {"valid": self.claimed.valid}

    def complete(self, keys):
        return self.claimed.complete(keys)._asdict()

    def complete_joined(self, keys, commit, millis=0):
        connection = connect()
        try:
            if hasattr(connection, "begin"):
                connection.begin()
            changed = self.claimed.complete(keys, connection)
            time.sleep(millis / 1000)
            connection.commit() if commit else connection.rollback()
            return changed._asdict()
        finally:
            connection.close()

    def release_claim(self):
        return self.claimed.release()._asdict()

    def consume(self, purpose, token):
        return {"status": self.store.tokens(purpose).consume(token).status}


def main():
    if sys.argv[1:2] == ["--broken"]:
        BROKEN[sys.argv[2]]()
    client = Client()
    for line in sys.stdin:
        request = json.loads(line)
        verb = getattr(client, request.pop("do"), None)
        if verb is None:
            answer = {"unsupported": True}
        else:
            try:
                answer = verb(**request)
            except Exception as error:
                answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
