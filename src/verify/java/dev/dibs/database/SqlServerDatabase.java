package dev.dibs.database;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A running SQL Server, if the build gets its address: none can be embedded. */
public final class SqlServerDatabase extends TestDatabase {

    SqlServerDatabase() {
        super("sqlserver", "sqlserver", GivenServer.of("sqlserver").orElse(null));
    }

    @Override
    String ownUser() {
        throw new UnsupportedOperationException("see obstacle()");
    }

    @Override
    public String urlAt(int port) {
        throw new UnsupportedOperationException("see obstacle()");
    }

    @Override
    int ownPort() {
        throw new UnsupportedOperationException("see obstacle()");
    }

    @Override
    Optional<String> obstacle() {
        return Optional.of("No SQL Server is given: -D" + GivenServer.property("sqlserver")
                + "=jdbc:sqlserver://.. with .user and .password");
    }

    @Override
    void start() {}

    @Override
    void crash() {
        throw new UnsupportedOperationException("This SQL Server is not ours");
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
}
