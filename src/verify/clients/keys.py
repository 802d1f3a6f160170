"""Claims and completes the rows of tables with keys of many types: keys.py FOLDER_OF_DIBS_PY TABLE..

A table has the columns id, claimed_by, claimed_until and done, a row without a key, and one with a key. Bytes can be
named by their hexadecimal digits, too. `refused` is right for a type that dibs.py does not know.
"""

import importlib
import re
import sys

sys.path.insert(0, sys.argv[1])

import conformance  # noqa: E402
import dibs  # noqa: E402


def connect():
    """Its rows are dictionaries, as many programs want them."""
    connection = conformance.connect()
    driver = type(connection).__module__.split(".")[0]
    if driver == "pymysql":
        connection.cursorclass = importlib.import_module("pymysql.cursors").DictCursor
    elif driver == "psycopg":
        connection.row_factory = importlib.import_module("psycopg.rows").dict_row
    elif driver == "psycopg2":
        connection.cursor_factory = importlib.import_module("psycopg2.extras").RealDictCursor
    else:
        connection.row_factory = lambda cursor, row: {column[0]: value for column, value in zip(cursor.description, row)}
    return connection


def judge(store, table):
    try:
        claims = store.claims(table, where="done = 0", complete_set="done = 1")
        claim = claims.claim(100)
    except dibs.DibsError:
        return "refused"
    keys = [row["id"] for row in claim.rows]
    if len(keys) != 1:
        return f"FAULT: claimed {keys}"
    if isinstance(keys[0], bytes):
        claim.release(["-".join(re.findall("..?", keys[0].hex().upper()))])
        claim = claims.claim(100)
    claim.renew()
    done, lost = claim.complete(keys)
    left = claims.claim(100).rows
    if done != keys or lost or left:
        return f"FAULT: of {keys} completed {done}, lost {lost}, left {left}"
    return "ok"


with dibs.Dibs(connect) as store:
    for name in sys.argv[2:]:
        print(f"{name} {judge(store, name)}", flush=True)
