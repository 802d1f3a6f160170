package dev.dibs.database;

import java.util.List;
import java.util.function.Predicate;

/** The contracts on MySQL. */
@UsesDatabase(MySqlDatabase.class)
class MySqlTest extends DibsContract {

    /** It has no RETURNING: look, take, look. */
    @Override
    public int[] price() {
        return new int[] {3, 4, 3};
    }

    /** Take, look. */
    @Override
    public int priceOfRetake() {
        return 2;
    }

    @Override
    public int lastStepOfAcquire() {
        return 3;
    }

    @Override
    public int[] priceOfPermit() {
        return new int[] {4, 6, 1};
    }

    @Override
    public int lastStepOfHeldAcquire() {
        return lastStepOfAcquire();
    }

    @Override
    public int lastStepOfPermit() {
        return 4;
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

    @Override
    public int statementsOfConsume() {
        return 2;
    }

    @Override
    public boolean pruneSkipsLockedRows() {
        return false;
    }

    @Override
    public int racedTokens() {
        return 300;
    }

    @Override
    public int[] priceOfReadAndWrite() {
        return new int[] {3, 3, 4};
    }

    @Override
    public List<List<String>> slowReaders() {
        return List.of(
                List.of("CREATE TRIGGER dibs_slow BEFORE INSERT ON dibs_reader FOR EACH ROW"
                        + " BEGIN IF NEW.name LIKE 'slow-%' THEN DO sleep(0.7); END IF; END"),
                List.of("DROP TRIGGER dibs_slow"));
    }

    @Override
    public boolean coalesces() {
        return false;
    }

    /** A DELETE can not skip. */
    @Override
    public boolean purgeWaits() {
        return true;
    }
}
