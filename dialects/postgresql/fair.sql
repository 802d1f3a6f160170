-- name: acquire_ticket
INSERT INTO {prefix}ticket (name, {lease_columns})
VALUES (:name, :owner, :holder, {now_micros}, {now}, {now} + :lease)
RETURNING name, {lease_columns}, {now} AS read_at;
