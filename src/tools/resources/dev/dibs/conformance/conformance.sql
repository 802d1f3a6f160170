-- The scratch tables of dibs conformance, in SQL that every database takes. Each run makes its own, and drops them.

-- name: create_counter
-- Clients count in one row, whose id is 1; the engine's check races for a row a round. MySQL and MariaDB read the last
-- comment.
CREATE TABLE {table} (id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL) /*! ENGINE = InnoDB */;

-- name: insert_counter
INSERT INTO {table} (id, n) VALUES (1, 0);

-- name: read_counter
SELECT n FROM {table} WHERE id = 1;

-- name: write_counter
UPDATE {table} SET n = ? WHERE id = 1;

-- name: insert_key
-- Sent by many at once: one adds the row, and the others get an error.
INSERT INTO {table} (id, n) VALUES (?, 0);

-- name: change_row
-- Sent by many at once: the count is 1 for one of them, and 0 for the others or an error.
UPDATE {table} SET n = 1 WHERE id = ? AND n = 0;

-- name: drop_counter
DROP TABLE {table};

-- name: create_rows
-- Rows that are claimed. One with done = 0 is to be done.
CREATE TABLE {table} (
    id bigint NOT NULL PRIMARY KEY,
    claimed_by varchar(32),
    claimed_until bigint,
    done int NOT NULL
) /*! ENGINE = InnoDB */;

-- name: create_index
CREATE INDEX {index} ON {table} (done, id);

-- name: insert_row
INSERT INTO {table} (id, done) VALUES (?, 0);

-- name: read_rows
SELECT id, claimed_by, claimed_until, done FROM {table} ORDER BY id;

-- name: lock_row
-- It changes nothing, and is rolled back.
UPDATE {table} SET done = done WHERE id = ?;

-- name: end_lease
UPDATE {locks} SET held_until = acquired_at WHERE name = ?;

-- name: drop_rows
DROP TABLE {table};
