-- fragment: key_list
json_extract(value, '$.dibs_key#') AS dibs_key#

-- fragment: key_list_binary
-- unhex came with SQLite 3.41.
unhex(json_extract(value, '$.dibs_key#')) AS dibs_key#

-- fragment: asked
-- The rows :keys. A number is compared with a text as a number.
(SELECT {key_list} FROM json_each(:keys)) AS k

-- fragment: given
{asked}

-- fragment: given_rows
FROM {asked} CROSS JOIN {table} AS t ON {key_match}

-- fragment: lock_free
-- Nobody else writes during a transaction that has written.
{nothing}

-- fragment: lease_mark
{until} = ({now} + :lease) / 4 * 4
        + CASE WHEN {token} IS NULL THEN 0 WHEN {token} = 'dibs-later' THEN 2 ELSE 1 END,
{token} = :token

-- name: claim_rows
UPDATE {table} AS t
   SET {mark}
 WHERE ({t_keys}) IN (SELECT {t_keys}
                        FROM {table} AS t
                       WHERE {free} AND {where} AND {once}
                       ORDER BY {order}
                       LIMIT :n)
-- then
SELECT t.*{and_texts}
  FROM (SELECT 0 AS dibs_unmarked
         UNION ALL
        SELECT 1 WHERE changes() < :n AND EXISTS (SELECT 1 FROM {table} AS t WHERE {free} AND {where} AND {once})) AS dibs_picked
  LEFT JOIN {table} AS t ON dibs_picked.dibs_unmarked = 0 AND {token} = :token
 WHERE dibs_picked.dibs_unmarked = 1 OR {token} = :token
 ORDER BY {order};

-- name: still_rows
SELECT {key_texts}
  FROM {asked} CROSS JOIN {table} AS t
 WHERE {key_match} AND {token} = :token AND {still};

-- name: change_rows
UPDATE {table} AS t
   SET {change}
 WHERE ({t_keys}) IN (SELECT {key_aliases} FROM {asked}) AND {token} = :token AND {still}
RETURNING {returned_keys};

-- name: complete_rows
UPDATE {table} AS t
   SET {complete}
 WHERE ({t_keys}) IN (SELECT {key_aliases} FROM {asked}) AND {token} = :token
RETURNING {returned_keys};

-- name: delete_rows
DELETE FROM {table} AS t
 WHERE ({t_keys}) IN (SELECT {key_aliases} FROM {asked}) AND {token} = :token
RETURNING {returned_keys};

-- name: release_token
UPDATE {table} AS t
   SET {drop}
 WHERE {token} = :token
RETURNING {returned_keys};
