-- MariaDB Galera, if several of its nodes are written to. It is MariaDB's but for the guard. Not found by itself, since a node says that
-- it is MariaDB: Dialect.named("galera").

-- fragment: base
mariadb
