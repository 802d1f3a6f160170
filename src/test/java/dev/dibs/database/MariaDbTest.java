package dev.dibs.database;

/** The contracts on MariaDB. */
@UsesDatabase(MariaDbDatabase.class)
class MariaDbTest extends DibsContract {

    @Override
    public String quoted(String name) {
        return "`" + name + "`";
    }

    @Override
    public String textType() {
        return "varchar(60) CHARACTER SET utf8mb4";
    }
}
