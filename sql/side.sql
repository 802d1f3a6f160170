-- Claims on a table of the user's that can not have columns more: they are rows of {prefix}claim. This is the standard form, as
-- H2 runs it. What is known only from the user is named as in claims.sql; {t_row_key} and {k_row_key} are the key of a row of t
-- or k as one text, which is how {prefix}claim names it.
--
-- A row of {prefix}claim is what makes a claim exclusive: its key can be there once. Nobody gets it who does not see, in a
-- statement that begins after that, that the user's row is still to be worked off: the one who had claimed it before may have
-- completed it while the row was chosen.
--
-- Everybody locks the user's row first and the claim second, if both. Who claims waits for no row that somebody has locked.

-- fragment: key_text
-- A key of one column as a text; # is the column.
cast(# AS varchar)

-- fragment: key_part
-- A column of a key that has several, with a backslash before a comma and a backslash.
replace(replace(cast(# AS varchar), '\', '\\'), ',', '\,')

-- fragment: key_glue
-- What stands between them.
 || ',' ||

-- fragment: key_whole
-- Around all of it.
(#)

-- fragment: side_free
-- A subquery for a value is answered by the key of {prefix}claim, row by row, in the order in which the rows are read.
coalesce((SELECT c.held_until
            FROM {prefix}claim AS c
           WHERE c.scope = :scope AND c.row_key = {t_row_key}), 0) <= {now_once}

-- fragment: side_until
-- The last two bits tell the claim what the row was before: 0 free, 1 left over by somebody who vanished, 2 put off.
floor(({now_once} + :lease) / 4) * 4

-- fragment: side_origin
CASE WHEN c.token = 'dibs-later' THEN 2 ELSE 1 END

-- fragment: side_first_time
NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WHERE c.scope = :scope AND c.token = :token)

-- fragment: side_asked
-- The claims of the rows :keys, as far as they have the token.
scope = :scope AND row_key IN (SELECT {k_row_key} FROM TABLE({key_list}) AS k) AND token = :token

-- fragment: side_mine
-- The same, of those that nobody has locked.
SELECT row_key
  FROM {prefix}claim
 WHERE {side_asked} AND {side_still}
   FOR UPDATE SKIP LOCKED

-- fragment: side_lock_rows
SELECT 1 AS dibs_locked
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
   FOR UPDATE

-- fragment: side_settle
-- From here on nobody else changes them, and a look at them in the same transaction finds what it has written itself.
UPDATE {prefix}claim SET held_until = -1 WHERE {side_asked}

-- fragment: side_settled
-- Nobody else's is, since none stays so: what is settled is dropped before the commit.
SELECT k.*
  FROM TABLE({key_list}) AS k
  JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.held_until = -1

-- fragment: side_not_passed
held_until > {now_once}

-- fragment: side_renew
held_until = {now_once} + :lease

-- fragment: side_put_off
held_until = {now_once} + :delay, token = 'dibs-later'

-- fragment: side_bury
held_until = 9007199254740991, token = 'dibs-dead'

-- name: claim_side
-- Claims up to :n free rows, the first ones, and returns the claims. Those without the token :token are somebody else's.
-- Chosen without a lock first, and a wider choice second, as in claim_rows. Where somebody has claimed a row since this began,
-- it is an error, and nothing has been claimed.
-- transaction: one for all steps
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM FINAL TABLE (
    MERGE INTO {prefix}claim AS c
    USING (SELECT {t_row_key} AS row_key
             FROM (SELECT {keys_as} FROM {table} AS t
                    WHERE {where} AND {side_free} AND {side_once}
                    ORDER BY {order}
                    FETCH FIRST :n ROWS ONLY) AS k
             JOIN {table} AS t ON {key_match}
              FOR UPDATE SKIP LOCKED) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.held_until <= {now_once} THEN
          UPDATE SET held_until = {side_until} + {side_origin}, token = :token
     WHEN NOT MATCHED THEN
          INSERT (scope, row_key, token, held_until) VALUES (:scope, m.row_key, :token, {side_until}))
-- else
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM FINAL TABLE (
    MERGE INTO {prefix}claim AS c
    USING (SELECT {t_row_key} AS row_key
             FROM (SELECT {keys_as} FROM {table} AS t
                    WHERE {where} AND {side_free} AND {side_once}
                    ORDER BY {order}
                    FETCH FIRST :n + 1000 ROWS ONLY) AS k
             JOIN {table} AS t ON {key_match}
            ORDER BY {order}
            FETCH FIRST :n ROWS ONLY
              FOR UPDATE SKIP LOCKED) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.held_until <= {now_once} THEN
          UPDATE SET held_until = {side_until} + {side_origin}, token = :token
     WHEN NOT MATCHED THEN
          INSERT (scope, row_key, token, held_until) VALUES (:scope, m.row_key, :token, {side_until}));

-- name: find_side
-- The claims that have the token, without a lock.
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM {prefix}claim
 WHERE scope = :scope AND token = :token;

-- name: side_rows
-- Those of the rows :keys that are still to be worked off, and the key of each as one text. Begins after they were claimed.
SELECT t.*, {t_row_key} AS dibs_row
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
 WHERE {where}
 ORDER BY {order};

-- name: still_side
-- The keys of those of the rows :keys whose claim has the token and has not passed, without a lock.
SELECT {key_aliases}
  FROM TABLE({key_list}) AS k
  JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.token = :token AND c.held_until > {now_once};

-- name: change_side
-- Changes the claims of those of the rows :keys that still have the token, but for claims that are locked; returns their keys.
-- transaction: one for all steps, or the caller's
SELECT {key_aliases}
  FROM FINAL TABLE (
    MERGE INTO {prefix}claim AS c
    USING ({side_mine}) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token AND {side_still} THEN UPDATE SET {side_change}) AS c
  JOIN TABLE({key_list}) AS k ON c.row_key = {k_row_key};

-- name: drop_side
-- Lets go of them.
-- transaction: one for all steps
SELECT {key_aliases}, c.row_key AS dibs_row
  FROM OLD TABLE (
    MERGE INTO {prefix}claim AS c
    USING ({side_mine}) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token THEN DELETE) AS c
  JOIN TABLE({key_list}) AS k ON c.row_key = {k_row_key};

-- name: complete_side
-- Sets what completing sets in those of the rows :keys whose claim still has the token, drops the claims, and returns the keys
-- of the rows. One that somebody has locked is waited for. All of it is one transaction.
-- transaction: one for all steps, or the caller's
{side_lock_rows}
-- then
{side_settle}
-- then
SELECT {keys_as}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING ({side_settled}) AS k
       ON {key_match}
     WHEN MATCHED THEN UPDATE SET {effect}) AS t
-- then
DELETE FROM {prefix}claim WHERE {side_asked};

-- name: delete_side
-- The same, where completing a row deletes it.
-- transaction: one for all steps, or the caller's
{side_lock_rows}
-- then
{side_settle}
-- then
SELECT {keys_as}
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING ({side_settled}) AS k
       ON {key_match}
     WHEN MATCHED THEN DELETE) AS t
-- then
DELETE FROM {prefix}claim WHERE {side_asked};

-- name: settle_side
-- The same, where the caller has completed the row in a way of its own, perhaps deleted it: just drops the claims.
-- transaction: one for all steps
{side_lock_rows}
-- then
{side_settle}
-- then
{side_settled}
-- then
DELETE FROM {prefix}claim WHERE {side_asked};

-- name: release_side
-- Lets go of all rows whose claim has the token and is not locked; returns their keys, each as one text.
-- transaction: one for all steps
SELECT row_key AS dibs_row
  FROM OLD TABLE (
    MERGE INTO {prefix}claim AS c
    USING (SELECT row_key FROM {prefix}claim WHERE scope = :scope AND token = :token FOR UPDATE SKIP LOCKED) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token THEN DELETE) AS c;

-- name: count_side
-- How many rows are to be worked off, claimed or not.
SELECT count(*) AS to_do
  FROM {table} AS t
 WHERE {where}
   AND NOT EXISTS (SELECT 1 FROM {prefix}claim AS c
                    WHERE c.scope = :scope AND c.row_key = {t_row_key} AND c.token = 'dibs-dead');

-- name: left_side
-- A row if anything is left to be worked off, claimed or not.
SELECT 1 AS is_left
  FROM {table} AS t
 WHERE {where}
   AND coalesce((SELECT c.token
                   FROM {prefix}claim AS c
                  WHERE c.scope = :scope AND c.row_key = {t_row_key}), '') <> 'dibs-dead'
 FETCH FIRST 1 ROW ONLY;

-- name: old_side
-- Claims that passed a week ago, without a lock: whoever had them has vanished, and their rows were done or deleted otherwise, or nobody
-- works on them any more.
SELECT row_key AS dibs_row, held_until AS dibs_until
  FROM {prefix}claim
 WHERE scope = :scope AND held_until < {now_once} - 604800000;

-- name: drop_old_side
-- Deletes one of them, unless somebody has claimed it meanwhile.
DELETE FROM {prefix}claim WHERE scope = :scope AND row_key = :row_key AND held_until = :held_until;
