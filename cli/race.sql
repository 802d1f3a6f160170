-- Whether the engine lets exactly one of many be the first, as every statement of Dibs takes for granted. Plain on purpose, and the same
-- for every database: what is tried here is the engine, not our way with it. {table} is new for each race, and dropped after it.

-- name: create_table
-- MySQL and MariaDB read the last comment: whatever they make by default, the tables of Dibs are InnoDB's.
CREATE TABLE {table} (id bigint NOT NULL PRIMARY KEY, fence bigint NOT NULL) /*! ENGINE = InnoDB */;

-- name: insert_row
-- A row that many want to make at once: one gets it in, the others an error.
INSERT INTO {table} (id, fence) VALUES (?, 0);

-- name: update_row
-- A row that many want to change at once: the count is 1 for one of them and 0 for the others.
UPDATE {table} SET fence = 1 WHERE id = ? AND fence = 0;

-- name: look_at_row
-- Whether it was changed.
SELECT fence FROM {table} WHERE id = ?;

-- name: drop_table
-- Takes all of it away again.
DROP TABLE {table};
