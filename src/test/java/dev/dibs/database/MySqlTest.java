package dev.dibs.database;

import java.util.function.Predicate;

/** The contracts on MySQL. */
@UsesDatabase(MySqlDatabase.class)
class MySqlTest extends DibsContract {

    /** It has no RETURNING: look, take, look. */
    @Override
    public int[] price() {
        return new int[] {3, 4, 3};
    }

    @Override
    public int lastStepOfAcquire() {
        return 3;
    }

    @Override
    public String quoted(String name) {
        return "`" + name + "`";
    }

    @Override
    public String uuidType() {
        return "char(36)";
    }

    @Override
    public Predicate<String> commitsClaim() {
        return COMMIT;
    }

    /** Each is a transaction of many steps, of which each commit waits for the disk. */
    @Override
    public int raceRows() {
        return 5_000;
    }

    @Override
    public int rolledBackInARace() {
        return 10;
    }
}
