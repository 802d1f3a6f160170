package dev.dibs.database;

import java.util.function.Predicate;

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

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    public int rolledBackInARace() {
        return 10;
    }
}
