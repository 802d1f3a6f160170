-- Whether the engine lets exactly one of many be the first, as every statement of Dibs requires. The statements are
-- plain, and the same for every database: they test the engine, not Dibs. {table} is new for each race, and dropped
-- after it.

-- name: create_table
-- MySQL and MariaDB read the last comment: the tables of Dibs are InnoDB's, whatever the server's default is.
CREATE TABLE {table} (id bigint NOT NULL PRIMARY KEY, fence bigint NOT NULL) /*! ENGINE = InnoDB */;

-- name: insert_row
-- A row that many want to add at once: one succeeds, the others get an error.
INSERT INTO {table} (id, fence) VALUES (?, 0);

-- name: update_row
-- A row that many want to change at once: the count is 1 for one of them and 0 for the others.
UPDATE {table} SET fence = 1 WHERE id = ? AND fence = 0;

-- name: look_at_row
-- Whether it was changed.
SELECT fence FROM {table} WHERE id = ?;

-- name: drop_table
-- Removes everything.
DROP TABLE {table};
