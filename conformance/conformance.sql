-- The table in which clients count while they are tried by dibs conformance, in SQL that every database takes. Each run has
-- one of its own, which it drops.

-- name: create_counter
-- One row, whose id is 1. MySQL and MariaDB read the last comment.
CREATE TABLE {table} (id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL) /*! ENGINE = InnoDB */;

-- name: insert_counter
INSERT INTO {table} (id, n) VALUES (1, 0);

-- name: read_counter
SELECT n FROM {table} WHERE id = 1;

-- name: write_counter
UPDATE {table} SET n = ? WHERE id = 1;

-- name: drop_counter
DROP TABLE {table};
