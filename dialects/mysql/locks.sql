-- fragment: lock_many
-- There are no blocks here, and the transactions of many would be one only by several round trips.
one_by_one

-- name: retake_lock
{retaking}
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner = :owner;
