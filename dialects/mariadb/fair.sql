-- fragment: ticket_l_is_passed
{reader_l_is_passed}

-- name: acquire_ticket
INSERT INTO {prefix}ticket (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease)
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}ticket
 WHERE name = :name AND owner = :owner;

-- name: look_turn
SELECT 0 AS ahead, name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND held_until > {now}
UNION ALL
(SELECT 1 AS ahead, name, owner, holder, fence, acquired_at, held_until, {now}
   FROM {prefix}ticket
  WHERE name = :name AND held_until > {now}
    AND (fence < :number OR (fence = :number AND owner < :owner))
  LIMIT 1);
