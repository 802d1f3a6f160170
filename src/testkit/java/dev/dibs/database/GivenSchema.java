package dev.dibs.database;

import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A schema of its own on a given MariaDB or MySQL, for one test at a time. */
final class GivenSchema {

    /** Up to the host and the port; the schema; the settings. */
    private static final Pattern URL = Pattern.compile("(jdbc:[^/]+//[^/?]+)(?:/[^?]*)?(\\?.*)?");

    private GivenSchema() {}

    /** Creates the schema, and drops it when this process ends. */
    static GivenServer of(GivenServer whole, String schema) {
        Matcher parts = URL.matcher(whole.url());
        if (!parts.matches()) {
            throw new IllegalStateException("A url like jdbc:mysql://host:3306/schema is needed, not " + whole.url());
        }
        String settings = parts.group(2) == null ? "" : parts.group(2);
        String mine = schema + "_" + ProcessHandle.current().pid();
        try {
            TestDatabase.execute(whole.dataSource(), "CREATE DATABASE " + mine);
        } catch (SQLException e) {
            throw new IllegalStateException("The user must be allowed to create schemas: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(whole, mine)));
        return new GivenServer(
                whole.database(), parts.group(1) + "/" + mine + settings, whole.user(), whole.password());
    }

    private static void drop(GivenServer whole, String schema) {
        try {
            TestDatabase.execute(whole.dataSource(), "DROP DATABASE " + schema);
        } catch (SQLException e) {
            System.out.println("The schema " + schema + " was not dropped: " + e.getMessage());
        }
    }
}
