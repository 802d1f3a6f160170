-- Claims per key. Rows with the same values in some columns of the user's table are a group, and groups take turns.
-- This is the standard form, as H2 runs it. The names are those of claims.sql.
--
-- Only the first {most} open rows of a group, in the user's order, can be claimed. So a group never has more rows in
-- work, and no statement has to lock the group. A row that is among the first ones stays there while it is open, since
-- open rows only become fewer. So a claim may choose rows first and mark them later: the statement that marks them
-- checks again that they are open and free. The statement that chooses must read only committed rows, each once.
--
-- There are two forms. Where one statement can go from group to group by an index (claims_per_key_at_once in
-- features.properties), it is claim_per_key or side_per_key alone. Elsewhere rows_per_key is sent until it has found
-- enough rows, outside of a transaction unless the caller has one. Then claim_per_key or side_per_key marks those of
-- the rows :keys that are free.
--
-- A search may have to pass any number of groups whose rows are in work, waiting or dead. So no statement passes more
-- than some 1,000 of them. It tells where it has ended, and the next one goes on there, each in a transaction of its own
-- unless the caller has one.
--
-- {t_groups}       the columns of a group, each after t.
-- {t_groups_back}  the same, each in descending order
-- {then_order}     the user's order without these columns, after a comma
-- {group_aliases}  dibs_group1, dibs_group2 and so on
-- {group_texts}    the columns as answers have them
-- {ties}           the columns of the key that the order does not name, each after a comma
-- {same_key}       t and k are the same row, where k has the columns of the key as they are
-- {after}          t is in a group behind the one with the values :group1, :group2 and so on
-- {known}          the first column of t's group is not NULL
-- {free}, {once}, {mark}, {alive}  depend on where claims are stored

-- fragment: group_value
-- A value of a column of a group; # is its number, {type} the column's type.
:group#

-- fragment: first_n
FETCH FIRST :n ROWS ONLY

-- fragment: not_dead
({token} IS NULL OR {token} <> 'dibs-dead')

-- fragment: side_not_dead
coalesce((SELECT c.token FROM {prefix}claim AS c WHERE c.scope = :scope AND c.row_key = {t_row_key}), '') <> 'dibs-dead'

-- name: ends_of_groups
-- The first and the last group of the open rows, without NULL.
SELECT {group_texts} FROM (SELECT * FROM {table} AS t WHERE {where} AND {known} ORDER BY {t_groups} {first_row}) AS t
 UNION ALL
SELECT {group_texts} FROM (SELECT * FROM {table} AS t WHERE {where} AND {known} ORDER BY {t_groups_back} {first_row}) AS t;

-- name: unfit_columns
-- The columns of the table that cannot be columns of a group, since the database does not compare their values as it
-- sorts them: name and type.
SELECT '' AS column_name, '' AS type_name FROM (SELECT 1 AS no_row) AS one WHERE 1 = 0;

-- name: rows_per_key
-- The next :n open rows, group by group: key, group, whether it is free, and its place within the group. Only their keys
-- are sorted: their other columns may be large.
SELECT {key_texts}, {group_texts}, CASE WHEN {free} THEN 1 ELSE 0 END AS dibs_free,
       row_number() OVER (PARTITION BY {t_groups} ORDER BY {order}{ties}) AS dibs_place
  FROM (SELECT {keys_as}
          FROM {table} AS t
         WHERE {where} AND {alive} AND {after}
         ORDER BY {t_groups}, {order}{ties}
         {first_n}) AS k
  JOIN {table} AS t ON {same_key}
 ORDER BY {t_groups}, dibs_place;

-- name: claim_per_key
-- Marks those of the rows :keys that are free, and returns those that have the mark as they are now. Locked rows are
-- skipped.
-- transaction: one for all steps
SELECT t.*{and_texts}
  FROM FINAL TABLE (
    MERGE INTO {table} AS t
    USING (SELECT {keys_as}
             FROM TABLE({key_list}) AS k
             JOIN {table} AS t ON {key_match}
            WHERE {free} AND {where} AND {once}
              FOR UPDATE SKIP LOCKED) AS k
       ON {key_match}
     WHEN MATCHED AND {free} AND {where} THEN UPDATE SET {mark}) AS t
 WHERE {token} = :token
 ORDER BY {order};

-- name: side_per_key
-- The same for claims in {prefix}claim; returns the claims. Claims without the token :token belong to others.
-- existing row: as claim_side
-- transaction: one for all steps
SELECT row_key AS dibs_row, token AS dibs_token, held_until AS dibs_until
  FROM FINAL TABLE (
    MERGE INTO {prefix}claim AS c
    USING (SELECT {t_row_key} AS row_key
             FROM TABLE({key_list}) AS k
             JOIN {table} AS t ON {key_match}
            WHERE {where} AND {free} AND {once}
              FOR UPDATE SKIP LOCKED) AS m
       {side_merge});
