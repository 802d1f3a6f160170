package dev.dibs.database;

import java.util.List;
import java.util.function.Predicate;

/** A running SQL Server, if the build gets its address: none can be embedded. */
public final class SqlServerDatabase extends GivenDatabase {

    SqlServerDatabase() {
        super("sqlserver");
    }

    @Override
    public String uuidType() {
        return "uniqueidentifier";
    }

    /** A user also needs a login to connect. */
    @Override
    public String newUser(String name) {
        return null;
    }

    @Override
    public String textType() {
        return "nvarchar(60)";
    }

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    public String endsWaits() {
        return "SET LOCK_TIMEOUT 300";
    }

    @Override
    public boolean batches() {
        return false;
    }

    @Override
    public boolean runsRetakeEach() {
        return false;
    }

    @Override
    public boolean guardTellsOfNoTransaction() {
        return true;
    }

    @Override
    public List<String> begins() {
        return List.of("BEGIN TRANSACTION");
    }

    @Override
    public KeySamples keys() {
        return KeySamples.sqlserver();
    }
}
