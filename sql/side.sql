-- Claims on a table of the user's that cannot have more columns: they are rows of {prefix}claim. This is the standard
-- form, as H2 runs it. The user's names are those of claims.sql. {t_row_key} and {k_row_key} are the key of a row of t
-- or k as one text, which is how {prefix}claim names the row.
--
-- The primary key of {prefix}claim makes a claim exclusive. After that, a second statement must see that the user's row
-- is still to be processed: the claim before may have completed it while the row was being chosen.
--
-- Every statement that needs both locks the user's row first and the claim second. A claim waits for no row lock.

-- fragment: key_text
-- A key of one column as a text; # is the column.
cast(# AS varchar)

-- fragment: key_text_binary
-- Hexadecimal digits in lower case.
rawtohex(#)

-- fragment: key_part_binary
rawtohex(#)

-- fragment: key_part
-- One column of a key that has several, with a backslash before a comma and a backslash.
replace(replace(cast(# AS varchar), '\', '\\'), ',', '\,')

-- fragment: key_glue
-- Stands between the columns.
 || ',' ||

-- fragment: key_whole
-- Encloses all columns.
(#)

-- fragment: side_free
-- A scalar subquery looks each row up by the primary key of {prefix}claim, in the order in which the rows are read.
coalesce((SELECT c.held_until
            FROM {prefix}claim AS c
           WHERE c.scope = :scope AND c.row_key = {t_row_key}), 0) <= {now_once}

-- fragment: side_until
-- The last two bits record the row's former state: 0 free, 1 abandoned by a claim that expired, 2 postponed.
floor(({now_once} + :lease) / 4) * 4

-- fragment: side_origin
CASE WHEN c.token = 'dibs-later' THEN 2 ELSE 1 END

-- fragment: side_first_time
NOT EXISTS (SELECT 1 FROM {prefix}claim AS c WHERE c.scope = :scope AND c.token = :token)

-- fragment: side_asked
-- For MERGE INTO: the claims of those of the rows :keys that have the token. Each is looked up by its key. (H2 reads
-- all of the IN (SELECT ..) again for each row.)
{prefix}claim AS c
USING (SELECT {k_row_key} AS row_key FROM TABLE({key_list}) AS k) AS m
   ON c.scope = :scope AND c.row_key = m.row_key
 WHEN MATCHED AND c.token = :token

-- fragment: side_mine
-- The claims of those of the rows :keys that have the token, without those that are locked.
SELECT c.row_key
  FROM TABLE({key_list}) AS k
  JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.token = :token AND {side_still}
   FOR UPDATE SKIP LOCKED

-- fragment: side_lock_rows
SELECT 1 AS dibs_locked
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
   FOR UPDATE

-- fragment: side_settle
-- From here on no other transaction changes them, and later statements of this one recognise them by this value.
MERGE INTO {side_asked} THEN UPDATE SET held_until = -1

-- fragment: side_settled
-- No other transaction's claim has this value: a settled claim is deleted before the commit.
SELECT k.*
  FROM TABLE({key_list}) AS k
  JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.held_until = -1

-- fragment: side_not_expired
held_until > {now_once}

-- fragment: side_renew
held_until = {now_once} + :lease

-- fragment: side_put_off
held_until = {now_once} + :delay, token = 'dibs-later'

-- fragment: side_bury
held_until = 9007199254740991, token = 'dibs-dead'

-- fragment: side_merge
ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.held_until <= {now_once} THEN
          UPDATE SET held_until = {side_until} + {side_origin}, token = :token
     WHEN NOT MATCHED THEN
          INSERT (scope, row_key, token, held_until) VALUES (:scope, m.row_key, :token, {side_until})

-- name: claim_side
-- Claims up to :n free rows, the first ones, and returns the claims. Claims without the token :token belong to others.
-- As in claim_rows, rows are chosen without a row lock, then from a wider choice. If another caller has claimed one of
-- the rows in between, the statement fails, and nothing was claimed.
-- existing row: changed if it has expired, else kept; of two that add it at the same instant, one may report a duplicate
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
       {side_merge})
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
       {side_merge});

-- name: find_side
-- The claims that have the token, read without a row lock.
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM {prefix}claim
 WHERE scope = :scope AND token = :token;

-- name: side_rows
-- Those of the rows :keys that are still to be processed, and the key of each as one text. It begins after they were
-- claimed.
SELECT t.*, {t_row_key} AS dibs_row
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
 WHERE {where}
 ORDER BY {order};

-- name: still_side
-- The keys of those of the rows :keys whose claim has the token and has not expired, read without a row lock.
SELECT {key_aliases}
  FROM TABLE({key_list}) AS k
  JOIN {prefix}claim AS c ON c.scope = :scope AND c.row_key = {k_row_key}
 WHERE c.token = :token AND c.held_until > {now_once};

-- name: change_side
-- Changes the claims of those of the rows :keys that still have the token; returns their keys. Locked claims are
-- skipped.
-- transaction: one for all steps, or the caller's
SELECT {key_aliases}
  FROM FINAL TABLE (
    MERGE INTO {prefix}claim AS c
    USING ({side_mine}) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token AND {side_still} THEN UPDATE SET {side_change}) AS c
  JOIN TABLE({key_list}) AS k ON c.row_key = {k_row_key};

-- name: drop_side
-- Deletes the claims of those of the rows :keys that still have the token; returns their keys. Locked claims are
-- skipped.
-- transaction: one for all steps
SELECT {key_aliases}, c.row_key AS dibs_row
  FROM OLD TABLE (
    MERGE INTO {prefix}claim AS c
    USING ({side_mine}) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token THEN DELETE) AS c
  JOIN TABLE({key_list}) AS k ON c.row_key = {k_row_key};

-- name: complete_side
-- Sets {effect} in those of the rows :keys whose claim still has the token, deletes the claims, and returns the keys of
-- the rows, as they were before. It waits for locked rows. All of it is one transaction.
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
     WHEN MATCHED THEN UPDATE SET {effect}) AS t
-- then
MERGE INTO {side_asked} THEN DELETE;

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
MERGE INTO {side_asked} THEN DELETE;

-- name: settle_side
-- The same, where the caller has completed the row in another way, perhaps deleted it: only the claims are deleted.
-- transaction: one for all steps
{side_lock_rows}
-- then
{side_settle}
-- then
{side_settled}
-- then
MERGE INTO {side_asked} THEN DELETE;

-- name: release_side
-- Releases all rows whose claim has the token and is not locked; returns their keys, each as one text.
-- transaction: one for all steps
SELECT row_key AS dibs_row
  FROM OLD TABLE (
    MERGE INTO {prefix}claim AS c
    USING (SELECT row_key FROM {prefix}claim WHERE scope = :scope AND token = :token FOR UPDATE SKIP LOCKED) AS m
       ON c.scope = :scope AND c.row_key = m.row_key
     WHEN MATCHED AND c.token = :token THEN DELETE) AS c;

-- name: count_side
-- How many rows are to be processed, claimed or not.
SELECT count(*) AS to_do
  FROM {table} AS t
 WHERE {where}
   AND NOT EXISTS (SELECT 1 FROM {prefix}claim AS c
                    WHERE c.scope = :scope AND c.row_key = {t_row_key} AND c.token = 'dibs-dead');

-- name: left_side
-- A row if any row is left to be processed, claimed or not.
SELECT 1 AS is_left
  FROM {table} AS t
 WHERE {where}
   AND coalesce((SELECT c.token
                   FROM {prefix}claim AS c
                  WHERE c.scope = :scope AND c.row_key = {t_row_key}), '') <> 'dibs-dead'
 {first_row};

-- name: old_side
-- Claims that expired a week ago, read without a row lock. Their workers have vanished. The rows were completed or
-- deleted in another way, or no worker processes them any more.
SELECT row_key AS dibs_row, held_until AS dibs_until
  FROM {prefix}claim
 WHERE scope = :scope AND held_until < {now_once} - 604800000;

-- name: drop_old_side
-- Deletes one of them, unless the row was claimed again.
DELETE FROM {prefix}claim WHERE scope = :scope AND row_key = :row_key AND held_until = :held_until;
