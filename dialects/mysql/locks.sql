-- name: retake_lock
{retaking}
-- then
SELECT name, owner, holder, fence, acquired_at, held_until, {now} AS read_at
  FROM {prefix}lock
 WHERE name = :name AND owner = :owner;
