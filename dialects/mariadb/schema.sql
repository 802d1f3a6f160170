-- name: create_lock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) {exact} NOT NULL PRIMARY KEY,
    owner       varchar(32) {exact},
    holder      varchar(200) {exact},
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;

-- name: create_claim
CREATE TABLE IF NOT EXISTS {prefix}claim (
    scope       varchar(200) {exact} NOT NULL,
    row_key     varchar(400) {exact} NOT NULL,
    token       varchar(32) {exact} NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, row_key)
) ENGINE = InnoDB;

-- name: create_range
CREATE TABLE IF NOT EXISTS {prefix}range (
    scope       varchar(200) {exact} NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) {exact},
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
) ENGINE = InnoDB;
