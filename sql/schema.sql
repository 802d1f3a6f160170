-- The tables. One statement a table or index, in the order in which they must run; each can be run again.

-- name: create_lock
-- One row is one lock, held or not. It is free when held_until has passed: released and abandoned are the same thing.
--   name         exact: case, blanks and all
--   owner        the random token of one acquisition; NULL when released. Only who knows it may write
--   holder       a label for people: who has it
--   fence        grows with every acquisition of the name
--   acquired_at, held_until   milliseconds since 1970 UTC by this database's clock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) NOT NULL PRIMARY KEY,
    owner       varchar(32),
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);

-- name: columns_of_lock
-- No row, but the columns that are there.
SELECT * FROM {prefix}lock WHERE 1 = 0;
