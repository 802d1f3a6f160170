"""Lets `dibs conformance` drive dibs.py: dibs conformance --url jdbc:.. -- python3 clients/python/conformance.py

`--broken RULE` breaks a rule on purpose, to show that the run finds it: token-twice, no-deadline, no-renewal, guard-unheeded,
claim-token-unheeded or claim-transaction-unheeded.
"""

import json
import os
import sys
import time

import dibs


def connect():
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


def break_on_purpose(rule):
    if rule == "token-twice":
        dibs.secrets.token_hex = lambda size: "0123456789abcdef" * 2
    elif rule == "no-deadline":
        dibs.Lease.remaining = lambda lease: 0 if lease._released else 1
        dibs.Lease._expire = lambda lease: 0 if lease._term is None else 1
        dibs.Claim._expire = lambda claim: 1
        break_on_purpose("no-renewal")
    elif rule == "no-renewal":
        dibs._Keeper._renew_batch = lambda keeper, batch: time.sleep(0.1)
        dibs._Keeper._renew_claim = lambda keeper, claim: time.sleep(0.1)
    elif rule == "guard-unheeded":
        dibs.Lease.guard = lambda lease, connection: None
    elif rule == "claim-token-unheeded":
        for statements in dibs.STATEMENTS.values():
            statements["complete_rows"] = [
                (when, sql.replace("{token} = %(token)s", "%(token)s = %(token)s")) for when, sql in statements["complete_rows"]
            ]
    elif rule == "claim-transaction-unheeded":
        dibs.Claim._complete_in = lambda claim, connection, keys: claim.complete(keys)
    else:
        sys.exit(f"there is no rule {rule!r} to break")


class Client:
    def __init__(self):
        self.store = dibs.Dibs(connect, holder="conformance")
        self.lease = None
        self.claims = {}
        self.claimed = None

    def acquire(self, name, leaseMillis, waitMillis):
        self.lease = self.store.lock(name, lease=leaseMillis / 1000).try_acquire(wait=waitMillis / 1000)
        return {"got": self.lease is not None, "fence": self.lease.fence if self.lease else None}

    def valid(self):
        return {"valid": self.lease is not None and self.lease.valid}

    def add(self, table, millis):
        """Read first and written later: what only the guard makes safe."""
        connection = connect()
        try:
            if hasattr(connection, "begin"):
                connection.begin()
            cursor = connection.cursor()
            self.lease.guard(connection)
            cursor.execute(f"SELECT n FROM {table} WHERE id = 1")
            (count,) = cursor.fetchone()
            time.sleep(millis / 1000)
            cursor.execute(f"UPDATE {table} SET n = %s WHERE id = 1", (count + 1,))
            connection.commit()
            return {"added": True}
        except dibs.DibsError:
            connection.rollback()
            return {"added": False}
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

    def complete_joined(self, keys, commit):
        connection = connect()
        try:
            if hasattr(connection, "begin"):
                connection.begin()
            changed = self.claimed.complete(keys, connection)
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
        break_on_purpose(sys.argv[2])
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
