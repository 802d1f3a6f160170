-- name: acquire_ticket
INSERT INTO {prefix}ticket (name, owner, holder, fence, acquired_at, held_until)
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease)
RETURNING name, owner, holder, fence, acquired_at, held_until, {now} AS read_at;
