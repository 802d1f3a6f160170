package dev.dibs.database;

import java.util.function.Predicate;

/** The contracts on SQL Server, where one is given. */
@UsesDatabase(SqlServerDatabase.class)
class SqlServerTest extends DibsContract {

    @Override
    public String uuidType() {
        return "uniqueidentifier";
    }

    /** Who connects needs a login besides. */
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
    public boolean coalesces() {
        return false;
    }
}
