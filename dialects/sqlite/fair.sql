-- name: acquire_ticket
-- The clock has milliseconds only. So a ticket is at least one after the last ticket of the name.
INSERT INTO {prefix}ticket (name, {lease_columns})
VALUES (:name, :owner, :holder,
        max({now_micros}, coalesce((SELECT max(fence) + 1 FROM {prefix}ticket WHERE name = :name), 0)),
        {now}, {now} + :lease)
RETURNING name, {lease_columns}, {now} AS read_at;

-- name: look_turn
SELECT 0 AS ahead, name, {lease_columns}, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND held_until > {now}
UNION ALL
SELECT 1, name, {lease_columns}, {now}
  FROM (SELECT *
          FROM {prefix}ticket
         WHERE name = :name AND held_until > {now}
           AND (fence < :number OR (fence = :number AND owner < :owner))
         LIMIT 1);
