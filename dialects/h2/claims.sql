-- fragment: key_type_decimal
-- Without a scale the value would be rounded.
numeric({size}, {scale})

-- fragment: key_type_text
varchar

-- fragment: key_type_binary
varbinary

-- fragment: key_type_char
-- Of the same length as the column: the blanks are part of its text.
char({size})

-- fragment: key_type_time
time(9)

-- fragment: key_type_datetime
-- Without a number of digits there are six.
timestamp(9)

-- fragment: key_type_instant
timestamp(9) with time zone

-- name: check_effect
-- A view has no _ROWID_. A statement that changes a view would fail only at its first row.
UPDATE {table} AS t SET {effect} WHERE 1 = 0 AND t._ROWID_ IS NULL;

-- name: check_mark
-- Refuses a view, as check_effect.
UPDATE {table} AS t SET {token} = {token} WHERE 1 = 0 AND t._ROWID_ IS NULL;

-- name: check_delete
-- Refuses a view, as check_effect.
DELETE FROM {table} WHERE 1 = 0 AND _ROWID_ IS NULL;
