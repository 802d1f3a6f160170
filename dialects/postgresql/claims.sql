-- fragment: key_list
dibs_key# {type}

-- fragment: key_type_whole
-- For a column with a sequence, the driver reports the type serial, which cannot be used here.
bigint

-- fragment: asked
-- The rows :keys. A parameter used directly in the function would be planned anew each time. With a limit that is
-- unknown, the planner expects ten rows, and looks each up by its key. Expecting the usual hundred, it would read
-- tables of thousands of rows.
asked AS MATERIALIZED (
    SELECT :keys::jsonb AS dibs_keys
), k AS MATERIALIZED (
    SELECT k.*
      FROM asked, jsonb_to_recordset(asked.dibs_keys) AS k({key_list})
     LIMIT (SELECT jsonb_array_length(dibs_keys) FROM asked)
)

-- fragment: column_asked_for
-- An array of keys is looked up in an index, key by key, whatever the planner knows of the table.
t.{first_key} = ANY (ARRAY(SELECT dibs_key1 FROM k))

-- fragment: columns_asked_for
EXISTS (SELECT 1 FROM k WHERE {key_match})

-- fragment: column_picked
t.{first_key} = ANY (ARRAY(SELECT dibs_key1 FROM pick))

-- fragment: columns_picked
-- No plan turns a search by ctid into a scan. The keys are compared as well, since a ctid is unique only within a
-- partition. (For LIMIT with a parameter, the planner expects a tenth of the table: a join then reads it all, or each
-- call is planned anew.)
t.ctid = ANY (ARRAY(SELECT dibs_place FROM pick)) AND ({t_keys}) IN (SELECT {key_aliases} FROM pick)

-- name: claim_rows
WITH pick AS MATERIALIZED (
    SELECT t.ctid AS dibs_place, {keys_as}
      FROM {table} AS t
     WHERE {free} AND {where} AND {once}
     ORDER BY {order}
     LIMIT {n}
       FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
    UPDATE {table} AS t
       SET {mark}
     WHERE {picked} AND {free}
 RETURNING t.*
)
SELECT * FROM taken ORDER BY {order};

-- name: still_rows
WITH {asked}
SELECT {keys_as}
  FROM k, {table} AS t
 WHERE {key_match} AND {token} = :token AND {still};

-- name: change_rows
WITH {asked}, pick AS MATERIALIZED (
    SELECT t.ctid AS dibs_place, {keys_as}
      FROM k, {table} AS t
     WHERE {key_match} AND {token} = :token AND {still}
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE {table} AS t
   SET {change}
 WHERE {picked} AND {token} = :token
RETURNING {keys_as};

-- name: complete_rows
WITH {asked}
UPDATE {table} AS t
   SET {complete}
 WHERE {asked_for} AND {token} = :token
RETURNING {keys_as};

-- name: delete_rows
WITH {asked}
DELETE FROM {table} AS t
 WHERE {asked_for} AND {token} = :token
RETURNING {keys_as};

-- name: release_token
WITH pick AS MATERIALIZED (
    SELECT t.ctid AS dibs_place, {keys_as}
      FROM {table} AS t
     WHERE {token} = :token
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE {table} AS t
   SET {drop}
 WHERE {picked} AND {token} = :token
RETURNING {keys_as};
