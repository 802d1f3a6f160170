package dev.dibs.internal.schema;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Strings;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks whether connection, tables, settings and clocks are as the promises need them. */
public final class Doctor {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** From when on a transaction counts as old: shorter ones are usual, such as reports. */
    private static final Duration OLD = Duration.ofMinutes(10);

    /** The number of later transactions from which on one counts as old: calls for one name then take about 0.5 ms longer. */
    private static final long FAR_BEHIND = 10_000;

    private final Database database;
    private final DataSource dataSource;
    private final boolean batching;
    private final Schema schema;
    private final ProductCheck productCheck;

    /**
     * For one database.
     *
     * @param batching whether calls of many threads may go together
     * @param product product and version as the driver reports them; null if the user has named the dialect
     */
    public Doctor(Database database, DataSource dataSource, boolean batching, Schema schema, @Nullable String product) {
        this.database = database;
        this.dataSource = dataSource;
        this.batching = batching;
        this.schema = schema;
        this.productCheck = new ProductCheck(schema.dialect(), product);
    }

    /**
     * The findings of all checks. One that fails is a warning with its error, and keeps no other from being made.
     */
    public List<Finding> examine(List<CapabilityPart> parts) {
        Checks checks = new Checks(database.errors());
        connection(checks);
        checks.addAll("routing", () -> ThreadRouting.examine(dataSource, batching));
        TablesThere there = checks.ask("tables", () -> TablesThere.ask(database))
                .or(() -> checks.ask("tables", schema::lookAtEach))
                .orElseGet(() -> TablesThere.none(database.statements().schema()));
        if (checks.add("tables", () -> tables(there)) && checks.add("rights", () -> rights(there))) {
            parts.forEach(part -> part.tryOut(checks, there));
        }
        checks.addAll("settings", this::settings);
        checks.addAll("file", this::files);
        checks.addAll("old transaction", this::cleanup);
        checks.ask("clock", this::clock).ifPresent(clock -> {
            checks.add("clock", clock::finding);
            parts.forEach(part -> part.lookAhead(checks, there, clock));
        });
        return checks.findings();
    }

    /**
     * Refuses an engine that is known to be another one than its driver reports, and logs one warning about all unsafe settings.
     * Both take one round trip. Settings that cannot be checked do not prevent the start.
     *
     * @throws DatabaseFailureException if the engine is refused, or does not say what it is
     */
    public void checkAtStart() {
        List<Finding> findings = new ArrayList<>(ThreadRouting.examine(dataSource, batching));
        try {
            List<Finding> settings = settings();
            productCheck.requireKnown(settings);
            findings.addAll(settings);
        } catch (SqlFailure e) {
            if (productCheck.mayRefuse()) {
                productCheck.requireKnown(version(), e);
            }
            LOG.log(System.Logger.Level.DEBUG, "The settings could not be checked", e);
        }
        warn(findings);
    }

    private String version() {
        try {
            return call("read_version", Params.none(), row -> row.getString(1)).get(0);
        } catch (SqlFailure e) {
            throw new DatabaseFailureException(
                    "the database did not say which product it is: " + Secrets.maskedToTheRoot(e.getCause())
                            + ". Check that it runs, and start again",
                    e.getCause());
        }
    }

    private static void warn(List<Finding> findings) {
        String unsafe = findings.stream()
                .filter(finding -> finding.level().compareTo(Level.WARNING) >= 0)
                .map(Doctor::withoutLevel)
                .collect(Collectors.joining("; "));
        if (!unsafe.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, Strings.oneLine(unsafe));
        }
    }

    private static String withoutLevel(Finding finding) {
        return finding.toString().substring(finding.level().name().length() + 1);
    }

    /** A description of the database for people. */
    public String place() {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseAddress.of(connection);
        } catch (SQLException e) {
            throw new DatabaseFailureException("no connection: " + Secrets.masked(e), e);
        }
    }

    private void connection(Checks checks) {
        try (Connection connection = dataSource.getConnection()) {
            checks.add("database", () -> product(connection.getMetaData()));
            checks.add("autocommit", () -> autoCommit(connection));
            checks.add("isolation", () -> isolation(connection));
        } catch (SQLException | RuntimeException e) {
            String remedy = schema.remedy(e);
            checks.add(
                    "connection",
                    () -> new Finding(
                            Level.ERROR,
                            "connection",
                            Secrets.maskedToTheRoot(e),
                            remedy == null
                                    ? "Check that the database runs and that user and password are right"
                                    : remedy));
        }
    }

    private Finding product(DatabaseMetaData meta) throws SQLException {
        return Checks.ok(
                "database",
                meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion() + ", driver "
                        + meta.getDriverName() + " " + meta.getDriverVersion() + ", dialect " + schema.dialect());
    }

    private static Finding autoCommit(Connection connection) throws SQLException {
        return connection.getAutoCommit()
                ? Checks.ok("autocommit", "on")
                : Checks.note(
                        "autocommit",
                        "off by default: each statement runs on a thread of its own, in case the"
                                + " connection carries a transaction",
                        "Give Dibs a data source with autocommit on");
    }

    private Finding isolation(Connection connection) throws SQLException {
        if (database.statements().features().limitsLockWait()) {
            return Checks.ok("isolation", "the database's own: statements wait for each other, and are repeated");
        }
        return switch (connection.getTransactionIsolation()) {
            case Connection.TRANSACTION_SERIALIZABLE ->
                Checks.note(
                        "isolation",
                        "SERIALIZABLE by default: some statements are rolled back by the database and repeated",
                        "Give Dibs a data source with READ COMMITTED");
            case Connection.TRANSACTION_REPEATABLE_READ -> Checks.ok("isolation", "REPEATABLE READ by default");
            default -> Checks.ok("isolation", "READ COMMITTED or the like by default");
        };
    }

    private Finding tables(TablesThere there) throws SqlFailure {
        String wrong = schema.problem(there, Set.of());
        if (!wrong.isEmpty()) {
            return new Finding(Level.ERROR, "tables", wrong, "");
        }
        Set<String> absent = there.absent();
        if (absent.isEmpty()) {
            return Checks.ok("tables", "all there");
        }
        return new Finding(
                Level.OK,
                "tables",
                "all there for " + Schema.inWords(there.capabilities(), ", ") + "; none yet for "
                        + Schema.inWords(absent, ", "),
                "Only to use more of it: 'dibs init --only " + Schema.inWords(absent, ",")
                        + "', or Dibs.admin().createSchema() with the capabilities");
    }

    private Finding rights(TablesThere there) throws SqlFailure {
        String missing = new Rights(database).whatIsMissing(there.all());
        return missing.isEmpty()
                ? Checks.ok(
                        "rights",
                        there.absent().isEmpty() ? "may write all tables" : "may write all tables that are there")
                : new Finding(Level.ERROR, "rights", missing, Rights.advice(schema.dialect()));
    }

    /** The settings under which the database refuses statements, each with its remedy; an empty text if there are none. */
    String refusingSettings() throws SqlFailure {
        return settings().stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .map(Doctor::withoutLevel)
                .collect(Collectors.joining("; "));
    }

    private List<Finding> settings() throws SqlFailure {
        List<Finding> settings = call("check_settings", Params.none(), Doctor::finding);
        return Stream.concat(settings.stream(), productCheck.warning(settings).stream())
                .toList();
    }

    private List<Finding> files() throws SqlFailure {
        return call("find_file", Params.none(), row -> FilePlace.finding(row.getString("path")));
    }

    /** Without a right that users of an application rarely have, it is a note that names the right. */
    private List<Finding> cleanup() throws SqlFailure {
        Params params = Params.none().with("age", OLD.toMillis()).with("behind", FAR_BEHIND);
        try {
            return call("check_cleanup", params, Doctor::finding);
        } catch (SqlFailure e) {
            if (!e.isRightMissing()) {
                throw e;
            }
            return List.of(Checks.note(
                    "old transaction",
                    "the age of the transactions of other users cannot be seen: "
                            + Secrets.maskedToTheRoot(e.getCause()),
                    "Grant the right that the error names, and ask again"));
        }
    }

    private <T> List<T> call(String statement, Params params, RowReader<T> reader) throws SqlFailure {
        return database.call(statement, params, TIMEOUT, reader).rows();
    }

    /** Reads a finding of a statement. */
    public static Finding finding(ResultSet row) throws SQLException {
        return new Finding(
                Level.valueOf(row.getString("level").strip().toUpperCase(Locale.ROOT)),
                row.getString("subject"),
                row.getString("message"),
                row.getString("remedy"));
    }

    /** The database read its clock at an unknown moment of the round trip; the middle is a fair estimate. */
    private DatabaseClock clock() throws SqlFailure {
        long before = System.currentTimeMillis();
        long there =
                call("read_clock", Params.none(), row -> row.getLong("read_at")).get(0);
        return new DatabaseClock(there, before + (System.currentTimeMillis() - before) / 2);
    }
}
