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

-- name: create_claim
-- One row is a claim on a row of a table of the user's, if claims are not kept in that table itself. No row: it is free.
--   scope        the user's table, as the program names it
--   row_key      the key of the row as one text
--   token        the random token of the claim; dibs-later: it is put off; dibs-dead: nobody gets it
--   held_until   milliseconds since 1970 UTC by this database's clock; when it has passed the row is free
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) NOT NULL,
    row_key     varchar(400) NOT NULL,
    token       varchar(32) NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
);

-- name: columns_of_claim
-- No row, but the columns that are there.
SELECT * FROM {prefix}claim WHERE 1 = 0;
