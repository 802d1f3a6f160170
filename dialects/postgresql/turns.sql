-- One statement walks from group to group: each step is a search in the index, and no step is taken for a row that the
-- claim does not need. NULL is the last group, as in an index of this database.

-- fragment: group_value
-- All groups of a walk must have one type, which may be wider than the column's.
cast(:group# AS {type})

-- fragment: group_after
-- The first group behind g by the condition #.
(SELECT g.dibs_lap, {walked_groups} FROM {table} AS t WHERE {where} AND {alive} AND # ORDER BY {t_groups} LIMIT 1)

-- fragment: group_first
-- After the last group the walk goes on at the first one, once.
(SELECT 1, {walked_groups} FROM {table} AS t WHERE {where} AND {alive} AND g.dibs_lap = 0 ORDER BY {t_groups} LIMIT 1)

-- fragment: group_rows
-- The first open rows of the group g by the condition #. From IS NULL the planner does not learn that all values are
-- equal, so the order begins with the group's columns.
(SELECT {keys_as}, {free} AS dibs_free FROM {table} AS t WHERE {where} AND {alive} AND # ORDER BY {t_groups}, {order}{ties} LIMIT {most})

-- fragment: walk
-- The walk begins behind the group with the values :group1, :group2 and so on, and ends with that group. The empty half
-- of the first UNION gives the values the collations of the columns.
RECURSIVE dibs_groups AS (
    SELECT 0 AS dibs_at, 0 AS dibs_lap, x.*
      FROM (SELECT {walked_groups} FROM {table} AS t WHERE 1 = 0 UNION ALL SELECT {group_start}) AS x ({group_aliases})
     UNION ALL
    SELECT g.dibs_at + 1, x.*
      FROM dibs_groups AS g
     CROSS JOIN LATERAL ({group_next} LIMIT 1) AS x (dibs_lap, {group_aliases})
     WHERE g.dibs_lap = 0 OR {before_start}
)

-- fragment: walked_rows
dibs_groups AS g
     CROSS JOIN LATERAL ({rows_of_group}) AS k
     CROSS JOIN LATERAL (
           SELECT {picking}
             FROM {table} AS t
            WHERE {key_match} AND {free} AND {where} AND {once}
              FOR NO KEY UPDATE OF t SKIP LOCKED) AS r
     WHERE k.dibs_free AND g.dibs_at > 0 AND (g.dibs_lap = 0 OR {up_to_start})

-- name: claim_in_turn
WITH {walk}, dibs_picked AS MATERIALIZED (
    SELECT g.dibs_at, r.*
      FROM {walked_rows}
     LIMIT {n}
), dibs_taken AS (
    UPDATE {table} AS t
       SET {mark}
     WHERE {picked} AND {free}
 RETURNING t.*
)
SELECT t.*{and_texts}, {group_texts}
  FROM dibs_taken AS t
  JOIN dibs_picked AS k ON {key_match}
 ORDER BY k.dibs_at, {order};

-- name: side_in_turn
WITH {walk}, dibs_picked AS MATERIALIZED (
    SELECT g.dibs_at, r.*
      FROM {walked_rows}
     LIMIT {n}
), dibs_taken AS (
    INSERT INTO {prefix}claim AS c (scope, row_key, token, held_until)
    SELECT :scope, dibs_row, :token, {side_until} FROM dibs_picked
        ON CONFLICT (scope, row_key) DO UPDATE
       SET held_until = {side_until} + {side_origin}, token = excluded.token
     WHERE c.held_until <= {now_once}
 RETURNING row_key, token, held_until
)
SELECT c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until, {group_aliases}
  FROM dibs_taken AS c
  JOIN dibs_picked AS k ON k.dibs_row = c.row_key
 ORDER BY k.dibs_at;
