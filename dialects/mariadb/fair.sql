-- fragment: ticket_l_is_expired
{reader_l_is_expired}

-- name: acquire_ticket
INSERT INTO {prefix}ticket (name, {lease_columns})
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease)
-- then
SELECT name, {lease_columns}, {now} AS read_at
  FROM {prefix}ticket
 WHERE name = :name AND owner = :owner;
