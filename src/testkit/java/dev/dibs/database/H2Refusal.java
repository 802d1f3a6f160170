package dev.dibs.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.h2.api.Trigger;

/** A trigger in H2 that refuses rows, as {@link Traits#refusals} makes it. */
public final class H2Refusal implements Trigger {

    private static final Map<String, String> CONDITIONS = new ConcurrentHashMap<>();

    private String query;

    /** The statement that makes one. */
    static String trigger(String table, String event, String condition) {
        String name = table + "_refuses";
        CONDITIONS.put(name.toUpperCase(Locale.ROOT), condition);
        return "CREATE TRIGGER " + name + " BEFORE " + event + " ON " + table + " FOR EACH ROW CALL '"
                + H2Refusal.class.getName() + "'";
    }

    @Override
    public void init(Connection connection, String schema, String trigger, String table, boolean before, int type)
            throws SQLException {
        List<String> columns = new ArrayList<>();
        try (ResultSet row = connection.getMetaData().getColumns(null, schema, table, "%")) {
            while (row.next()) {
                columns.add("CAST(? AS varchar) AS " + row.getString("COLUMN_NAME"));
            }
        }
        query = columns.stream().collect(Collectors.joining(", ", "SELECT 1 FROM (SELECT ", ") AS NEW WHERE "))
                + CONDITIONS.get(trigger.toUpperCase(Locale.ROOT));
    }

    @Override
    public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < after.length; i++) {
                statement.setString(i + 1, after[i] == null ? null : String.valueOf(after[i]));
            }
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    throw new SQLException("the row is frozen", "45F01", 45001);
                }
            }
        }
    }
}
