-- name: create_lock
-- Collation "C" compares bytes. Room on each page lets an update stay on it, without touching the index.
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) COLLATE "C" NOT NULL PRIMARY KEY,
    owner       varchar(32) COLLATE "C",
    holder      varchar(200),
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) WITH (fillfactor = 70);

-- name: create_claim
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) COLLATE "C" NOT NULL,
    row_key     varchar(400) COLLATE "C" NOT NULL,
    token       varchar(32) COLLATE "C" NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) WITH (fillfactor = 70);

-- name: create_range
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       varchar(200) COLLATE "C" NOT NULL,
    id          varchar(32) COLLATE "C" NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) COLLATE "C",
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) WITH (fillfactor = 70);
