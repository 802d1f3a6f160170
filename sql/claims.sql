-- Claims: rows of a table of the user's, marked with a token. This is the standard form, as H2 runs it.
--
-- The user gives: {table}, {token} and {until}, which are names; {where} and {order}, the user's conditions; {effect},
-- the assignments of a completion. In every statement that has one of these three, the user's row is t. All other names
-- there begin with dibs_, so that they hide no table and no column of the user's.
-- Made of the key's columns: {t_keys}, their names with t. before each; {keys_as}, the columns renamed to dibs_key1,
-- dibs_key2 and so on; {key_texts}, the same as an answer has them; {and_texts}, those of them
-- that a row of the user's does not have itself, with a comma before each; {key_aliases}, only these new names;
-- {key_members}, each preceded by its name as a text; {asked_members}, the same of a list of keys k; {returned_keys}, as
-- {key_texts} without t.; {inserted_keys} and {deleted_keys}, the columns of inserted and deleted. {key_description} names the
-- columns and their types, for people. {list} is a short text that is another one for another table or key, for the names
-- of temporary tables.
-- {key_match} says that t and k are the same row, {key_list} is a list of keys. Both repeat the dialect's fragment of
-- that name for each column. A dialect may have such a fragment for one kind of type, as key_type_whole:
-- key-types.properties has the kinds.
-- The way in which claims are stored decides: {free}, {mark}, {drop}, {once}, {change}, {still}, {complete}. If a
-- dialect finds rows by keys of one column in another way than by those of several, {asked_for}, {to_pick} and {picked}
-- are its fragments column_asked_for, columns_asked_for and so on.
--
-- A token belongs to one claim, and every write needs it: :token is in the WHERE of every change. No claim waits for a
-- row lock. Times are milliseconds since 1970 UTC by the database's clock.

-- fragment: key_type
-- The type of one column of a key: {type} is the driver's name for it, without {size} and {scale}.
{type}

-- fragment: key_list
-- One column of a parameter that is a list of keys: # is its number, {type} its key_type.
dibs_key# {type} = :key#

-- fragment: key_sent
-- The text of a value in a list of keys; # is that of its RowKey.
#

-- fragment: key_value
-- One column of a key k, as a column of that type is.
k.dibs_key#

-- fragment: key_member
-- One column of a row that is written as JSON: its name and its value.
'dibs_key#', dibs_key#

-- fragment: asked_member
-- The same for a key k that was asked for.
'dibs_key#', k.dibs_key#

-- fragment: key_match
-- One column of the condition that the row t has the key k; {key} is its name.
t.{key} = k.dibs_key#

-- fragment: key_written
-- A date or a time of a key as a text that is the same in all sessions, and that each session reads as the same value;
-- # is the column.
cast(# AS varchar)

-- fragment: given
-- The keys :keys as the table k.
TABLE({key_list}) AS k

-- fragment: given_rows
FROM {given} JOIN {table} AS t ON {key_match}

-- fragment: marker_free
{token} IS NULL

-- fragment: lease_free
({token} IS NULL OR {until} <= {now_once})

-- fragment: marker_mark
{token} = :token

-- fragment: lease_mark
-- The last two bits record the row's former state: 0 free, 1 abandoned by a claim that expired, 2 postponed. The
-- expression reads the old token, so the token is set last, for databases that assign one column after the other.
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
-- The caller chose the token and may send the claim twice: the second one must not add rows.
NOT EXISTS (SELECT 1 FROM {table} WHERE {token} = :token)

-- fragment: not_given
-- Without the rows :keys, which refuse each change without an error.
NOT EXISTS (SELECT 1 FROM {given} WHERE {key_match})

-- fragment: given_alone
-- Of the rows :keys alone.
EXISTS (SELECT 1 FROM {given} WHERE {key_match})

-- fragment: lock_free
FOR UPDATE SKIP LOCKED

-- fragment: renew
{until} = {now_once} + :lease

-- fragment: not_expired
{until} > {now_once}

-- fragment: effect_and_drop
{effect}, {drop}

-- fragment: postpone
{until} = {now_once} + :delay, {token} = 'dibs-later'

-- fragment: dead_letter
{until} = NULL, {token} = 'dibs-dead'

-- name: claim_rows
-- Marks up to :n free rows, in order, and returns them as they are now: those that have the mark, since a trigger may
-- have kept its columns as they were. Where the statement knows the rows that it has picked, a row of NULLs shows that one
-- of them has no mark.
-- With a sort, H2 locks every row that it sorts, not only the first :n. So the candidates are chosen without a row
-- lock, and then joined. (H2 evaluates IN (SELECT two columns) again for each row.) A derived table is not locked, the
-- row t is.
-- If others are claiming all candidates just now, the second step locks a wider choice for a moment. The condition
-- stands twice: see leases.sql.
-- transaction: one for all steps
SELECT t.*{and_texts}
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
     WHEN MATCHED AND {free} AND {where} THEN UPDATE SET {mark}) AS t
 WHERE {token} = :token
 ORDER BY {order}
-- else
SELECT t.*{and_texts}
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
     WHEN MATCHED AND {free} AND {where} THEN UPDATE SET {mark}) AS t
 WHERE {token} = :token
 ORDER BY {order};

-- name: free_rows
-- The keys of the first :n rows that a claim would mark; locked ones are skipped.
SELECT {key_texts}
  FROM {table} AS t
 WHERE {free} AND {where} AND {once}
 ORDER BY {order}
 {first_n}
 {lock_free};

-- name: free_of_rows
-- The same of the rows :keys. They stay locked, so that a claim of these in the same transaction marks them, or a trigger
-- or a rule keeps it from that without an error.
SELECT {key_texts}
  {given_rows}
 WHERE {free} AND {where}
 {lock_free};

-- name: find_rows
-- The rows that have the token, read without a row lock.
SELECT t.*{and_texts}
  FROM {table} AS t
 WHERE {token} = :token
 ORDER BY {order};

-- name: still_rows
-- The keys of those of the rows :keys that have the token and have not expired, read without a row lock.
SELECT {key_texts}
  FROM TABLE({key_list}) AS k
  JOIN {table} AS t ON {key_match}
 WHERE {token} = :token AND {still};

-- name: change_rows
-- Changes those of the rows :keys that still have the token, and returns their keys. Locked rows are skipped.
-- transaction: one for all steps, or the caller's
SELECT {key_texts}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as}
             FROM TABLE({key_list}) AS k
             JOIN {table} AS t ON {key_match}
            WHERE {token} = :token AND {still}
              FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token AND {still} THEN UPDATE SET {change}) AS t;

-- name: complete_rows
-- Completes those of the rows :keys that have the token, and returns their keys, as they were before. It waits for locked
-- rows.
-- transaction: one for all steps, or the caller's
SELECT {key_texts}
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING (SELECT * FROM TABLE({key_list})) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN UPDATE SET {complete}) AS t;

-- name: delete_rows
-- Completes those of the rows :keys that have the token by deleting them, and returns their keys. It waits for locked
-- rows.
-- transaction: one for all steps, or the caller's
SELECT {key_texts}
  FROM OLD TABLE (
    MERGE INTO {table} AS t
    USING (SELECT * FROM TABLE({key_list})) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN DELETE) AS t;

-- name: release_token
-- Releases all rows that have the token and are not locked; returns their keys.
-- transaction: one for all steps
SELECT {key_texts}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as} FROM {table} AS t WHERE {token} = :token FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {token} = :token THEN UPDATE SET {drop}) AS t;

-- name: count_rows
-- How many rows are to be processed, claimed or not.
SELECT count(*) AS to_do
  FROM {table} AS t
 WHERE {where} AND ({token} IS NULL OR {token} <> 'dibs-dead');

-- name: left_rows
-- A row if any row is left to be processed, claimed or not.
SELECT 1 AS is_left
  FROM {table} AS t
 WHERE {where} AND ({token} IS NULL OR {token} <> 'dibs-dead') AND {once}
 {first_row};

-- name: dead_rows
-- The keys of the dead rows that are to be processed, whichever run gave them up.
SELECT {key_texts}
  FROM {table} AS t
 WHERE {where} AND {token} = 'dibs-dead';

-- name: still_open
-- A row if one of the rows :keys meets the condition, whoever has it. It follows a completion, in its transaction.
SELECT 1 AS dibs_open
  {given_rows}
 WHERE {where};

-- name: open_rows
-- A row if any row meets the condition, claimed or not.
SELECT 1 AS is_left
  FROM (SELECT 1 AS no_row) AS one
 WHERE EXISTS (SELECT 1 FROM {table} AS t WHERE {where});

-- name: check_condition
-- Returns no row. It fails if the user's condition or order is no valid SQL, or names a column that does not exist or
-- may not be read.
SELECT * FROM {table} AS t WHERE 1 = 0 AND {where} ORDER BY {order};

-- name: check_effect
-- Changes nothing. It fails if {effect} is no valid SQL, or may not be set.
UPDATE {table} AS t SET {effect} WHERE 1 = 0;

-- name: check_mark
-- Changes nothing. It fails if a row may not be marked.
UPDATE {table} AS t SET {token} = {token} WHERE 1 = 0;

-- name: check_delete
-- Deletes nothing. It fails if rows may not be deleted.
DELETE FROM {table} WHERE 1 = 0;

-- name: columns_of_table
-- Returns no row, but the columns that exist.
SELECT * FROM {table} WHERE 1 = 0;
