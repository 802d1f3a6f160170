-- One statement walks from group to group: each step is a search in the index, and no step is taken for a row that the
-- claim does not need. NULL is the last group, as in an index of this database.

-- fragment: group_value
-- All groups of a walk must have one type, which may be wider than the column's.
cast(:group# AS {type})

-- fragment: group_after
-- The first group behind g by the condition #.
(SELECT g.dibs_lap, {walked_groups} FROM {table} AS t WHERE {where} AND # ORDER BY {t_groups} LIMIT 1)

-- fragment: group_first
-- After the last group the walk goes on at the first one, once.
(SELECT 1, {walked_groups} FROM {table} AS t WHERE {where} AND g.dibs_lap = 0 ORDER BY {t_groups} LIMIT 1)

-- fragment: group_rows
-- The first open rows of the group g by the condition #. From IS NULL the planner does not learn that all values are
-- equal, so the order begins with the group's columns.
(SELECT {keys_as}, {free} AS dibs_free FROM {table} AS t WHERE {where} AND {alive} AND # ORDER BY {t_groups}, {order}{ties} LIMIT {most})

-- fragment: walk
-- The walk begins behind the group with the values :group1, :group2 and so on. Once it has come past the last group, that
-- is with :lap = 1, it ends with the group :start1, :start2 and so on, where the claim has begun. It passes at most 1,000
-- groups besides one for each row. The empty half of the first UNION gives the values the collations of the columns.
RECURSIVE dibs_groups AS (
    SELECT 0 AS dibs_at, cast(:lap AS int) AS dibs_lap, x.*
      FROM (SELECT {walked_groups} FROM {table} AS t WHERE 1 = 0 UNION ALL SELECT {group_values}) AS x ({group_aliases})
     UNION ALL
    SELECT g.dibs_at + 1, x.*
      FROM dibs_groups AS g
     CROSS JOIN LATERAL ({group_next} LIMIT 1) AS x (dibs_lap, {group_aliases})
     WHERE g.dibs_at < 1000 + {n} AND (g.dibs_lap = 0 OR {up_to_start})
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

-- fragment: walk_end
-- The group with which the walk has ended: that of the last row if there are enough, or else the last one. It is found
-- by its number, since a search for the last one would walk on. dibs_around says that no group is left.
dibs_end AS (
    SELECT g.*, (SELECT count(*) FROM dibs_picked) < {n} AND g.dibs_at < 1000 + {n} AS dibs_around
      FROM dibs_groups AS g
     WHERE g.dibs_at = CASE WHEN (SELECT count(*) FROM dibs_picked) < {n} THEN (SELECT max(dibs_at) FROM dibs_groups)
                            ELSE (SELECT max(dibs_at) FROM dibs_picked) END
     LIMIT 1
)

-- name: claim_per_key
-- Each row has the end of the walk as well. If none is picked, there is one row with this end alone. A row that is picked
-- and has not got the mark has its key in dibs_unmarked, and no columns.
WITH {walk}, dibs_picked AS MATERIALIZED (
    SELECT g.dibs_at, r.*
      FROM {walked_rows}
     LIMIT {n}
), dibs_taken AS (
    UPDATE {table} AS t
       SET {mark}
     WHERE {picked} AND {free}
 RETURNING t.*
), {walk_end}
SELECT t.*{and_texts}, k.dibs_at, e.dibs_lap, e.dibs_around, {end_texts},
       CASE WHEN k.dibs_at IS NOT NULL AND t.{first_key} IS NULL THEN {k_row_key} END AS dibs_unmarked
  FROM dibs_end AS e
  LEFT JOIN (dibs_picked AS k LEFT JOIN dibs_taken AS t ON {key_match} AND {token} = :token) ON true
 ORDER BY k.dibs_at, {order};

-- name: side_per_key
-- The same.
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
), {walk_end}
SELECT c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until, k.dibs_at, e.dibs_lap, e.dibs_around,
       {end_texts}, NULL AS dibs_unmarked
  FROM dibs_end AS e
  LEFT JOIN (dibs_taken AS c JOIN dibs_picked AS k ON k.dibs_row = c.row_key) ON true
 ORDER BY k.dibs_at;
