package dev.dibs.database;

import java.util.List;
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

    @Override
    public int racedTokens() {
        return 300;
    }

    @Override
    public List<List<String>> slowReaders() {
        return List.of(
                List.of("CREATE TRIGGER dibs_slow BEFORE INSERT ON dibs_reader FOR EACH ROW"
                        + " BEGIN IF NEW.name LIKE 'slow-%' THEN DO sleep(0.7); END IF; END"),
                List.of("DROP TRIGGER dibs_slow"));
    }
}
