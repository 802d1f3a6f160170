-- name: create_lock
-- Even a binary collation ignores trailing blanks in a comparison, so the key is the name and a full stop.
IF object_id(N'{prefix}lock', N'U') IS NULL
CREATE TABLE {prefix}lock (
    name_key    nvarchar(201) {exact} NOT NULL PRIMARY KEY,
    name        nvarchar(200) NOT NULL,
    owner       varchar(32) {exact} NULL,
    holder      nvarchar(200) NULL,
    fence       bigint NOT NULL,
    acquired_at bigint NOT NULL,
    held_until  bigint NOT NULL
);
