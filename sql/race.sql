-- Whether the engine lets exactly one of many be the first, as every statement of the other files takes for granted. Plain on purpose, and
-- the same in every dialect whose key is the name: what is tried here is the engine, not our way with it.

-- name: race_insert
-- A row that many want to make at once: one gets it in, the others an error. It has passed just now, so that no purge looks at it during
-- the race.
INSERT INTO {prefix}lock (name, fence, acquired_at, held_until) VALUES (:name, 0, 0, {now});

-- name: race_update
-- A row that many want to change at once: the count is 1 for one of them and 0 for the others.
UPDATE {prefix}lock SET fence = 1 WHERE name = :name AND fence = 0;

-- name: race_look
-- How often it was changed.
SELECT fence FROM {prefix}lock WHERE name = :name;

-- name: race_clear
-- Takes the row away again.
DELETE FROM {prefix}lock WHERE name = :name;
