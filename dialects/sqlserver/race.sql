-- The key of a row is name_key: see schema.sql.

-- name: race_insert
INSERT INTO {prefix}lock (name_key, name, fence, acquired_at, held_until) VALUES (:name + N'.', :name, 0, 0, {now});

-- name: race_update
UPDATE {prefix}lock SET fence = 1 WHERE name_key = :name + N'.' AND fence = 0;

-- name: race_look
SELECT fence FROM {prefix}lock WHERE name_key = :name + N'.';

-- name: race_clear
DELETE FROM {prefix}lock WHERE name_key = :name + N'.';
