-- fragment: key_list
dibs_key# {type}

-- fragment: key_type_whole
-- For a column with a sequence, the driver reports the type serial, which cannot be used here.
bigint

-- fragment: key_type_char
bpchar

-- fragment: key_type_label
-- The driver's name for an enumeration has no quotes, unless its schema is not on the search_path.
{quoted_type}

-- fragment: key_sent_binary
-- A bytea is read from hexadecimal digits after these two characters.
\x#

-- fragment: key_written
-- In JSON, a date has one form whatever DateStyle is.
jsonb_build_array(#) ->> 0

-- fragment: key_written_time
(#)::text

-- fragment: key_written_instant
CASE WHEN isfinite(#) THEN replace((jsonb_build_array(# AT TIME ZONE 'UTC') ->> 0) || 'Z', ' BCZ', 'Z BC') ELSE (#)::text END

-- fragment: asked
-- The rows :keys. A parameter used directly in the function would be planned again each time. With a limit that is
-- unknown, the planner expects ten rows, and looks each up by its key. Expecting the usual hundred, it would read
-- tables of thousands of rows.
dibs_json AS MATERIALIZED (
    SELECT :keys::jsonb AS dibs_keys
), dibs_asked AS MATERIALIZED (
    SELECT k.*
      FROM dibs_json, jsonb_to_recordset(dibs_json.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM dibs_json)
)

-- fragment: given
jsonb_to_recordset(:keys::jsonb) AS k({key_list})

-- fragment: lock_free
FOR NO KEY UPDATE SKIP LOCKED

-- fragment: column_asked_for
-- An array of keys is looked up in an index, key by key, whatever the planner knows of the table.
t.{first_key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_asked))

-- fragment: columns_asked_for
EXISTS (SELECT 1 FROM dibs_asked AS k WHERE {key_match})

-- fragment: asked_with_same_key
WHERE {asked_for} AND {token} = :token
RETURNING {key_texts}

-- fragment: asked_with_new_key
-- The effect sets a column of the key: the rows keep their old key only in the list.
FROM dibs_asked AS k
 WHERE {key_match} AND {token} = :token
RETURNING {done_texts}

-- fragment: column_to_pick
-- Without a ctid, which a view does not have.
{keys_as}

-- fragment: columns_to_pick
t.ctid AS dibs_place, {keys_as}

-- fragment: column_picked
t.{first_key} = ANY (ARRAY(SELECT dibs_key1 FROM dibs_picked))

-- fragment: columns_picked
-- No plan turns a search by ctid into a scan. The keys are compared as well, since a ctid is unique only within a
-- partition. (For LIMIT with a parameter, the planner expects a tenth of the table: a join then reads it all, or each
-- call is planned again.)
t.ctid = ANY (ARRAY(SELECT dibs_place FROM dibs_picked)) AND ({t_keys}) IN (SELECT {key_aliases} FROM dibs_picked)

-- fragment: from_front
-- A worker of a run starts at the first row of its previous claim, where the key is the order: each finished row before
-- it would cost a step. A dialect without this fragment looks at all rows.
{first_key} >= cast(:front AS {first_type})

-- name: claim_rows
-- The number of rows stands in the text, since the plan for an unknown number is a bad one.
WITH dibs_picked AS MATERIALIZED (
    SELECT {to_pick}
      FROM {table} AS t
     WHERE {free} AND {where} AND {once}
     ORDER BY {order}
     LIMIT {n}
       FOR NO KEY UPDATE SKIP LOCKED
), dibs_taken AS (
    UPDATE {table} AS t
       SET {mark}
     WHERE {picked} AND {free}
 RETURNING t.*
)
SELECT t.*{and_texts}
  FROM (SELECT * FROM dibs_taken AS t WHERE {token} = :token) AS t
  FULL JOIN (SELECT 1 AS dibs_gap
              WHERE (SELECT count(*) FROM dibs_picked)
                    > (SELECT count(*) FROM dibs_taken AS t WHERE {token} = :token)) AS dibs_unmarked ON false
 ORDER BY {order};

-- name: still_rows
WITH {asked}
SELECT {key_texts}
  FROM dibs_asked AS k, {table} AS t
 WHERE {key_match} AND {token} = :token AND {still};

-- name: change_rows
WITH {asked}, dibs_picked AS MATERIALIZED (
    SELECT {to_pick}
      FROM dibs_asked AS k, {table} AS t
     WHERE {key_match} AND {token} = :token AND {still}
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {change}
 WHERE {picked} AND {token} = :token
RETURNING {key_texts};

-- name: complete_rows
WITH {asked}
UPDATE {table} AS t
   SET {complete}
 {of_asked};

-- name: delete_rows
WITH {asked}
DELETE FROM {table} AS t
 WHERE {asked_for} AND {token} = :token
RETURNING {key_texts};

-- name: release_token
WITH dibs_picked AS MATERIALIZED (
    SELECT {to_pick}
      FROM {table} AS t
     WHERE {token} = :token
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {drop}
 WHERE {picked} AND {token} = :token
RETURNING {key_texts};
