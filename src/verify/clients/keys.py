"""Claims and completes the rows of tables with keys of many types: keys.py FOLDER_OF_DIBS_PY TABLE..

A table has the columns id, claimed_by, claimed_until and done. `refused` is right for a type that dibs.py does not know.
"""

import sys

sys.path.insert(0, sys.argv[1])

import conformance  # noqa: E402
import dibs  # noqa: E402


def judge(store, table):
    try:
        claims = store.claims(table, where="done = 0", complete_set="done = 1")
        claim = claims.claim(100)
    except dibs.DibsError:
        return "refused"
    keys = [row["id"] for row in claim.rows]
    done, lost = claim.complete(keys)
    left = claims.claim(100).rows
    if done != keys or lost or left:
        return f"FAULT: of {keys} completed {done}, lost {lost}, left {left}"
    return "ok"


with dibs.Dibs(conformance.connect) as store:
    for name in sys.argv[2:]:
        print(f"{name} {judge(store, name)}", flush=True)
