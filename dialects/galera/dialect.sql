-- MariaDB Galera with writes to several of its nodes. It differs from MariaDB in the guard, and in features.properties.
-- It is not detected, since a node reports that it is MariaDB: use Dialect.named("galera").

-- fragment: base
mariadb
