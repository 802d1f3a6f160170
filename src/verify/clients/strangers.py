"""What dibs.py answers for a token that a stranger sends, and that cannot be one: strangers.py FOLDER_OF_DIBS_PY.

There is no database: nothing is asked of it.
"""

import sys

sys.path.insert(0, sys.argv[1])

import dibs  # noqa: E402

ONE = "A" * 43


class Nothing:
    def run(self, statement, **parameters):
        raise LookupError(f"{statement} was asked for")


tokens = dibs.Tokens(Nothing(), "sign-in")
for text in (None, 7, b"x", "", "x", "\ud800", "\ud800" * 43, ONE + "\n", ONE + "A", "\u00e4" + ONE[1:], "\u0661" + ONE[1:]):
    token = tokens.consume(text)
    print(f"ok: {token}" if token.status == "unknown" else f"FAULT: {token} for {text!a}")
try:
    print(f"FAULT: {tokens.consume(ONE)}")
except LookupError as asked:
    print(f"ok: {asked}")
