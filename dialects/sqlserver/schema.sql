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

-- name: create_claim
-- The key is longer than a clustered one may be.
IF object_id(N'{prefix}claim', N'U') IS NULL
CREATE TABLE {prefix}claim (
    scope       nvarchar(200) {exact} NOT NULL,
    row_key     nvarchar(400) {exact} NOT NULL,
    token       varchar(32) {exact} NOT NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY NONCLUSTERED (scope, row_key)
);

-- name: create_range
IF object_id(N'{prefix}range', N'U') IS NULL
CREATE TABLE {prefix}range (
    scope       nvarchar(200) {exact} NOT NULL,
    id          varchar(32) {exact} NOT NULL,
    first_key   bigint NOT NULL,
    last_key    bigint NOT NULL,
    token       varchar(32) {exact} NULL,
    held_until  bigint NOT NULL,
    PRIMARY KEY (scope, id)
);
