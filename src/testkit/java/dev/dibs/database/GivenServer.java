package dev.dibs.database;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server that {@code -Ddibs.<database>.url} names, with {@code .user} and {@code .password}. It is not ours. */
record GivenServer(String database, String url, String user, String password) {

    /** Up to the host and the port; the schema; the settings. */
    private static final Pattern URL = Pattern.compile("(jdbc:[^/]+//[^/?]+)(?:/[^?]*)?(\\?.*)?");

    static Optional<GivenServer> of(String database) {
        return Optional.ofNullable(System.getProperty(property(database)))
                .map(url -> new GivenServer(
                        database,
                        url,
                        System.getProperty("dibs." + database + ".user", ""),
                        System.getProperty("dibs." + database + ".password", "")));
    }

    static String property(String database) {
        return "dibs." + database + ".url";
    }

    DriverDataSource dataSource() {
        return new DriverDataSource(url, user, password);
    }

    /**
     * Says at once what would let the contracts fail one by one.
     *
     * @param locksRows whether it has isolations that lock rows
     * @throws IllegalStateException if the server cannot run the contracts
     */
    void requireFit(boolean locksRows) {
        List<String> wrong;
        try (Dibs dibs = Dibs.on(dataSource())) {
            wrong = wrong(dibs, locksRows);
        } catch (RuntimeException | SQLException e) {
            throw unfit(e.getMessage(), e);
        }
        if (!wrong.isEmpty()) {
            throw unfit(String.join("; ", wrong), null);
        }
    }

    private List<String> wrong(Dibs dibs, boolean locksRows) throws SQLException {
        String dialect = dibs.dialect().name();
        if (!dialect.equals(database)) {
            return List.of("it is one for the dialect " + dialect + ": give it by -D" + property(dialect));
        }
        List<Finding> findings = dibs.admin().doctor();
        findings.stream()
                .filter(finding -> !isAboutTables(finding))
                .forEach(finding -> System.out.println(database + ", given: " + finding));
        Stream<String> errors = findings.stream()
                .filter(finding -> finding.level() == Level.ERROR && !isAboutTables(finding))
                .map(Finding::toString);
        return Stream.concat(
                        errors,
                        Stream.of(locksRows ? isolation() : "", rights()).filter(text -> !text.isEmpty()))
                .toList();
    }

    /** The contracts create them. */
    private static boolean isAboutTables(Finding finding) {
        return finding.subject().equals("tables");
    }

    private String isolation() throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            int isolation = connection.getTransactionIsolation();
            return isolation == Connection.TRANSACTION_READ_COMMITTED
                            || isolation == Connection.TRANSACTION_REPEATABLE_READ
                    ? ""
                    : "its isolation is neither READ COMMITTED nor REPEATABLE READ by default (JDBC's number "
                            + isolation + ")";
        }
    }

    private String rights() throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            String table = "dibs_fit_" + ProcessHandle.current().pid();
            try {
                statement.execute("CREATE TABLE " + table + " (id int)");
                statement.execute("DROP TABLE " + table);
                return "";
            } catch (SQLException e) {
                return "the user must be allowed to create and drop tables: " + e.getMessage();
            }
        }
    }

    private IllegalStateException unfit(String why, Throwable cause) {
        return new IllegalStateException(
                "The server of -D" + property(database) + " cannot run the contracts: " + why, cause);
    }

    /** On MariaDB or MySQL: a schema of its own, for one test at a time, which is dropped when this process ends. */
    GivenServer withSchema(String schema) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalStateException("A url like jdbc:mysql://host:3306/schema is needed, not " + url);
        }
        String settings = parts.group(2) == null ? "" : parts.group(2);
        String mine = schema + "_" + ProcessHandle.current().pid();
        try {
            TestDatabase.execute(dataSource(), "CREATE DATABASE " + mine);
        } catch (SQLException e) {
            throw new IllegalStateException("The user must be allowed to create schemas: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(mine)));
        return new GivenServer(database, parts.group(1) + "/" + mine + settings, user, password);
    }

    private void drop(String schema) {
        try {
            TestDatabase.execute(dataSource(), "DROP DATABASE " + schema);
        } catch (SQLException e) {
            System.out.println("The schema " + schema + " was not dropped: " + e.getMessage());
        }
    }
}
