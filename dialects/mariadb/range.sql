-- Blocks as in claims.sql: a transaction of its own under READ COMMITTED, or part of the caller's. A range is locked
-- only by its key. A locking search would lock, or wait for, every range that it passes.

-- fragment: range_taken
-- The range that was chosen, if there is one.
{side_picked} STRAIGHT_JOIN {prefix}range AS r ON r.scope = :scope AND r.id = k.dibs_row

-- fragment: range_rows
SELECT t.*, r.dibs_until
  FROM {range_found} STRAIGHT_JOIN {table} AS t
 WHERE {range_bounds} AND {where}
 ORDER BY t.{first_key}

-- name: open_ranges
INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
VALUES (:scope, 'dibs-cursor', {range_start}, {range_start}, NULL, 9007199254740991)
    ON DUPLICATE KEY UPDATE scope = VALUES(scope);

-- name: claim_range
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    DECLARE dibs_first bigint;
    DECLARE dibs_last bigint;
    {own_or_joined};
    {select_list} json_arrayagg(json_object('dibs_row', id)) INTO dibs_mine
      FROM (SELECT id FROM {prefix}range WHERE scope = :scope AND held_until <= {now_once} LIMIT 20) AS late;
    IF dibs_mine IS NOT NULL THEN
        {select_list} json_arrayagg(json_object('dibs_row', dibs_row)) INTO dibs_mine
          FROM (SELECT k.dibs_row FROM {range_taken} WHERE r.held_until <= {now_once} LIMIT 1 FOR UPDATE SKIP LOCKED) AS late;
    END IF;
    IF dibs_mine IS NOT NULL THEN
        {by_key}
        UPDATE {range_taken}
           SET r.held_until = {range_until} + CASE WHEN r.token IS NULL THEN 0 ELSE 1 END, r.token = :token, r.id = :token;
    ELSE
        SELECT max(last_key) INTO dibs_last FROM {prefix}range WHERE scope = :scope AND id = 'dibs-cursor' FOR UPDATE;
        SELECT min(dibs_key1), max(dibs_key1) INTO dibs_first, dibs_last
          FROM (SELECT {keys_as}
                  FROM {table} AS t
                 WHERE t.{first_key} > dibs_last AND {where}
                 ORDER BY t.{first_key}
                 LIMIT :n) AS ahead;
        IF dibs_last IS NOT NULL THEN
            INSERT INTO {prefix}range (scope, id, first_key, last_key, token, held_until)
            VALUES (:scope, :token, dibs_first, dibs_last, :token, {range_until});
            UPDATE {prefix}range SET last_key = dibs_last WHERE scope = :scope AND id = 'dibs-cursor';
        END IF;
    END IF;
    {range_rows};
    {commit_own};
END;

-- name: renew_range
BEGIN NOT ATOMIC
    DECLARE dibs_hit int;
    {own_or_joined};
    SELECT count(*) INTO dibs_hit FROM {prefix}range WHERE {range_ours} AND held_until > {now_once} FOR UPDATE SKIP LOCKED;
    IF dibs_hit = 1 THEN
        UPDATE {prefix}range SET held_until = {now_once} + :lease WHERE {range_ours};
    END IF;
    SELECT first_key AS dibs_range FROM {prefix}range WHERE {range_ours} AND dibs_hit = 1;
    {commit_own};
END;

-- name: complete_range
BEGIN NOT ATOMIC
    {own_or_joined};
    SELECT 1 AS dibs_range FROM {prefix}range WHERE {range_ours} FOR UPDATE;
    DELETE FROM {prefix}range WHERE {range_ours};
    {commit_own};
END;

-- name: advance_range
BEGIN NOT ATOMIC
    {own_or_joined};
    SELECT 1 AS dibs_range FROM {prefix}range WHERE {range_ours} FOR UPDATE;
    UPDATE {prefix}range SET first_key = {range_advanced} WHERE {range_ours};
    {commit_own};
END;

-- name: release_range
BEGIN NOT ATOMIC
    DECLARE dibs_hit int;
    {own_or_joined};
    SELECT count(*) INTO dibs_hit FROM {prefix}range WHERE {range_ours} FOR UPDATE SKIP LOCKED;
    IF dibs_hit = 1 THEN
        UPDATE {prefix}range SET held_until = 0, token = NULL WHERE {range_ours};
    END IF;
    SELECT 1 AS dibs_range FROM DUAL WHERE dibs_hit = 1;
    {commit_own};
END;

-- name: scatter_range
-- The user's rows are read into a list first: an INSERT that selects from them may lock them.
BEGIN NOT ATOMIC
    DECLARE dibs_first bigint;
    DECLARE dibs_last bigint;
    DECLARE dibs_end bigint;
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    SELECT max(first_key), max(last_key), max(held_until) INTO dibs_first, dibs_last, dibs_end
      FROM {prefix}range
     WHERE {range_ours}
       FOR UPDATE;
    IF dibs_end IS NOT NULL THEN
        INSERT INTO {prefix}claim (scope, row_key, token, held_until)
        SELECT :scope, {k_row_key}, :token, dibs_end
          FROM {side_keys}
         WHERE k.dibs_key1 BETWEEN dibs_first AND dibs_last;
        {select_list} json_arrayagg(json_object('dibs_row', {t_row_key})) INTO dibs_mine
          FROM {table} AS t
         WHERE t.{first_key} BETWEEN dibs_first AND dibs_last AND {where};
        INSERT INTO {prefix}claim (scope, row_key, token, held_until)
        SELECT :scope, k.dibs_row, :token, dibs_end FROM {side_picked}
            ON DUPLICATE KEY UPDATE scope = VALUES(scope);
        DELETE FROM {prefix}range WHERE {range_ours};
    END IF;
    {commit_own};
END;

-- name: claim_scattered
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object('dibs_row', row_key)) INTO dibs_mine
      FROM (SELECT row_key FROM {prefix}claim WHERE scope = :scope AND held_until <= {now_once} LIMIT :n) AS late;
    {by_key}
    SELECT json_arrayagg(json_object('dibs_row', k.dibs_row)) INTO dibs_mine
      FROM {side_picked} {side_claim_of_row}
     WHERE c.held_until <= {now_once}
       FOR UPDATE SKIP LOCKED;
    {by_key}
    UPDATE {side_picked} {side_claim_of_row}
       SET c.held_until = {side_until} + {side_origin}, c.token = :token;
    {by_key}
    SELECT c.row_key AS dibs_row, c.token AS dibs_token, c.held_until AS dibs_until
      FROM {side_picked} {side_claim_of_row};
    {commit_own};
END;

-- name: release_scattered
BEGIN NOT ATOMIC
    DECLARE dibs_mine longtext CHARACTER SET utf8mb4;
    {own_or_joined};
    {select_list} json_arrayagg(json_object('dibs_row', row_key)) INTO dibs_mine
      FROM {prefix}claim
     WHERE scope = :scope AND token = :token;
    {by_key}
    SELECT json_arrayagg(json_object('dibs_row', k.dibs_row)) INTO dibs_mine
      FROM {side_picked} {side_claim_of_row}
     WHERE c.token = :token
       FOR UPDATE SKIP LOCKED;
    {by_key}
    UPDATE {side_picked} {side_claim_of_row}
       SET c.held_until = 0, c.token = 'dibs-later';
    SELECT dibs_row FROM {side_picked};
    {commit_own};
END;
