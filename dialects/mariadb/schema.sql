-- name: create_lock
CREATE TABLE IF NOT EXISTS {prefix}lock (
    name        varchar(200) {exact} NOT NULL PRIMARY KEY,
    owner       varchar(32) {exact},
    holder      varchar(200) {exact},
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
) ENGINE = InnoDB;
