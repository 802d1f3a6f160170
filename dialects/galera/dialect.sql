-- MariaDB Galera with writes to several of its nodes. It differs from MariaDB in the guard and the renewal. It is not
-- detected, since a node reports that it is MariaDB: use Dialect.named("galera").

-- fragment: base
mariadb
