-- Claims: rows of a table of the user's, marked with a token. This is the standard form, as H2 runs it.
--
-- What is known only from the user: {table}, {token} and {until} are names; {where} and {order} the user's conditions; {effect}
-- what completing a row sets. {keys} are the key's columns, {t_keys} the same of t, {keys_as} the same named dibs_key1,
-- dibs_key2 and so on, {key_aliases} just these names, {key_members} each with its name as a text before it, and
-- {inserted_keys} the columns of inserted. {key_match}, that t and k are the same row, and {key_list} are made of the dialect's
-- fragments of these names for each of the columns. One for a kind of type may stand beside each: key_type_whole, _decimal, _text,
-- _date, _time or _other.
-- What is chosen by how the claims are kept: {free}, {mark}, {drop}, {once}, {change}, {still}, {complete}.
--
-- A token belongs to one claim, and only who knows it may write: :token is in the WHERE of every change. No claim waits for a
-- row that somebody has locked. Times are milliseconds since 1970 UTC by the database's clock.

-- fragment: key_type
-- The type of one column of a key: {type} is what the driver calls it, without {size} and {scale}.
{type}

-- fragment: key_list
-- One column of a list of keys that is a parameter: # is its number, {type} its key_type.
dibs_key# {type} = :key#

-- fragment: key_match
-- One column of the condition that the row t has the key k; {key} is its name.
t.{key} = k.dibs_key#

-- fragment: mine_of_each
-- Of the rows :keys, each with the one of :askers who asks for it, those that have his token and are not locked; of an asker all or none.
SELECT *
             FROM (SELECT m.*, count(*) OVER (PARTITION BY dibs_asker) AS dibs_found
                     FROM (SELECT {keys_as}, k.dibs_asker, k.dibs_asked
                             FROM (SELECT asked.*, count(*) OVER (PARTITION BY dibs_asker) AS dibs_asked
                                     FROM TABLE({key_list}, dibs_asker varchar(32) = :askers) AS asked) AS k
                             JOIN {table} AS t ON {key_match}
                            WHERE {token} = k.dibs_asker
                              FOR UPDATE SKIP LOCKED) AS m) AS n
            WHERE dibs_found = dibs_asked

-- fragment: marker_free
{token} IS NULL

-- fragment: lease_free
({token} IS NULL OR {until} <= {now_once})

-- fragment: marker_mark
{token} = :token

-- fragment: lease_mark
-- The last two bits tell the claim what the row was before: 0 free, 1 left over by somebody who vanished, 2 put off. The old
-- token is read, so that it must be the last one to be set where assignments take effect one by one.
{until} = floor(({now_once} + :lease) / 4) * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = :token

-- fragment: marker_drop
{token} = NULL

-- fragment: lease_drop
{until} = NULL, {token} = NULL

-- fragment: any_time
1 = 1

-- fragment: first_time
-- The caller chose the token and may ask twice: what it has already is not added to.
NOT EXISTS (SELECT 1 FROM {table} WHERE {token} = :token)

-- fragment: from_front
-- From the first one of the rows that were claimed just before on, where the key is the order.
{first_key} >= cast(:front AS {first_type})

-- fragment: renew
{until} = {now_once} + :lease

-- fragment: not_passed
{until} > {now_once}

-- fragment: effect_and_drop
{effect}, {drop}

-- fragment: postpone
{until} = {now_once} + :delay, {token} = 'dibs-later'

-- fragment: dead_letter
{until} = NULL, {token} = 'dibs-dead'

-- name: claim_rows
-- Marks up to :n free rows, in order, and returns them as they are now.
-- Where H2 sorts it locks every row that it sorts, not just the first :n; so that the candidates are chosen without a lock, and
-- joined: IN (SELECT two columns) is asked anew for each row. A derived table is not locked, the row t is.
-- If all of them are just being claimed by others, a wider choice is locked for the moment that it takes.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
-- transaction: one for all steps
SELECT *
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as}
             FROM (SELECT {keys_as}
                     FROM {table} AS t
                    WHERE {free} AND {where} AND {once}
                    ORDER BY {order}
                    FETCH FIRST :n ROWS ONLY) AS k
             JOIN {table} AS t ON {key_match}
              FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {free} AND {where} THEN UPDATE SET {mark})
 ORDER BY {order}
-- else
SELECT *
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as}
             FROM (SELECT {keys_as}
                     FROM {table} AS t
                    WHERE {free} AND {where} AND {once}
                    ORDER BY {order}
                    FETCH FIRST :n + 1000 ROWS ONLY) AS k
             JOIN {table} AS t ON {key_match}
            ORDER BY {order}
            FETCH FIRST :n ROWS ONLY
              FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {free} AND {where} THEN UPDATE SET {mark})
 ORDER BY {order};

-- name: find_rows
-- The rows that have the token, without a lock.
SELECT *
  FROM {table}
 WHERE {token} = :token
 ORDER BY {order};

-- name: still_rows
-- The keys of those of the rows :keys that have the token and have not passed, without a lock.
SELECT {keys_as}
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
 WHERE {token} = :token AND {still};

-- name: change_rows
-- Changes those of the rows :keys that still have the token, but for rows that somebody has locked, and returns their keys.
-- transaction: one for all steps, or the caller's
SELECT {keys_as}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT m.* FROM (SELECT {keys_as} FROM {table} AS t
            WHERE {first_key} = ANY (cast(:key1 AS {first_type} ARRAY)) AND {token} = :token AND {still}
              FOR UPDATE SKIP LOCKED) AS m
             JOIN TABLE({key_list}) AS asked ON {asked_match}) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token AND {still} THEN UPDATE SET {change}) AS t;

-- name: complete_rows
-- Completes those of the rows :keys that have the token, and returns their keys. A row that somebody has locked is waited for.
-- transaction: one for all steps, or the caller's
SELECT {keys_as}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT * FROM TABLE({key_list})) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN UPDATE SET {complete}) AS t;

-- name: delete_rows
-- Completes those of the rows :keys that have the token by deleting them, and returns their keys. Waits as complete_rows does.
-- transaction: one for all steps, or the caller's
SELECT {keys_as}
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING (SELECT * FROM TABLE({key_list})) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN DELETE) AS t;

-- name: complete_each_rows
-- The rows :keys of many claims at once, each for the one of :askers that it stands beside: his token. No row that somebody has locked is
-- waited for. Of a claim all that it asks for is completed, or nothing: then one of its rows is locked or not its own, and its
-- caller asks by complete_rows. The keys, and behind them whose they were. An error is one for all: nothing was done.
-- The condition is repeated outside of the locking subquery, or H2 gives one row to two.
SELECT {keys_as}, {token} AS dibs_asker
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING ({mine_of_each}) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = k.dibs_asker THEN UPDATE SET {complete}) AS t;

-- name: delete_each_rows
-- The same as complete_each_rows, by deleting them.
SELECT {keys_as}, {token} AS dibs_asker
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING ({mine_of_each}) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = k.dibs_asker THEN DELETE) AS t;

-- name: release_token
-- Lets go of all rows that have the token and are not locked; returns their keys.
-- transaction: one for all steps
SELECT {keys_as}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as} FROM {table} AS t WHERE {token} = :token FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN UPDATE SET {drop}) AS t;

-- name: count_rows
-- How many rows are to be worked off, claimed or not.
SELECT count(*) AS to_do
  FROM {table}
 WHERE {where} AND ({token} IS NULL OR {token} <> 'dibs-dead');

-- name: left_rows
-- A row if anything is left to be worked off, claimed or not.
SELECT 1 AS is_left
  FROM {table}
 WHERE {where} AND ({token} IS NULL OR {token} <> 'dibs-dead')
 FETCH FIRST 1 ROW ONLY;

-- name: open_rows
-- A row if any meets the condition, whoever has it.
SELECT 1 AS is_left
  FROM (SELECT 1 AS nothing) AS one
 WHERE EXISTS (SELECT 1 FROM {table} WHERE {where});

-- name: check_condition
-- No row. It fails where the user's condition or order is no SQL, or names what is not there or may not be read.
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order};

-- name: check_effect
-- Changes nothing. It fails where what completing a row sets is no SQL, or may not be set.
UPDATE {table} AS t SET {effect} WHERE 1 = 0;

-- name: check_mark
-- Changes nothing. It fails where the row may not be marked.
UPDATE {table} AS t SET {token} = {token} WHERE 1 = 0;

-- name: check_delete
-- Deletes nothing. It fails where rows may not be deleted.
DELETE FROM {table} WHERE 1 = 0;

-- name: columns_of_table
-- No row, but the columns that are there.
SELECT * FROM {table} WHERE 1 = 0;
