package dev.dibs.database;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A running SQL Server, if the build gets its address: none can be embedded. */
public final class SqlServerDatabase extends TestDatabase {
    private static final String URL = "dibs.sqlserver.url";

    SqlServerDatabase() {
        super("sqlserver");
    }

    @Override
    public String user() {
        return System.getProperty("dibs.sqlserver.user");
    }

    @Override
    public String password() {
        return System.getProperty("dibs.sqlserver.password");
    }

    @Override
    public String urlAt(int port) {
        return System.getProperty(URL);
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public boolean canRestart() {
        return false;
    }

    @Override
    public ErrorLog errorLog() {
        throw new UnsupportedOperationException("The log of a SQL Server is not read");
    }

    @Override
    public boolean canReadErrorLog() {
        return false;
    }

    @Override
    Optional<String> obstacle() {
        return System.getProperty(URL) == null
                ? Optional.of("No SQL Server is given: -D" + URL + "=jdbc:sqlserver://.. with .user and .password")
                : Optional.empty();
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
