package dev.dibs.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.api.Trigger;

/** A trigger in H2 that keeps rows as they are: see {@link Traits#keepsRows}. */
public final class H2Keeper implements Trigger {

    private static final Map<String, String> CONDITIONS = new ConcurrentHashMap<>();
    private static final int LAST = 5;
    private static final int WHAT = 1;

    private String condition = "";

    /** The name of a trigger with this condition. */
    static String named(String table, String condition) {
        String name = table + "_keeps";
        CONDITIONS.put(name.toUpperCase(Locale.ROOT), condition);
        return name;
    }

    @Override
    public void init(Connection connection, String schema, String trigger, String table, boolean before, int type) {
        condition = CONDITIONS.get(trigger.toUpperCase(Locale.ROOT));
    }

    @Override
    public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
        String query = "SELECT 1 FROM (SELECT CAST(? AS bigint) AS done_at) AS NEW WHERE " + condition;
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setObject(1, after[WHAT + 1]);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next() && ((Number) after[0]).longValue() <= LAST) {
                    System.arraycopy(before, WHAT + 1, after, WHAT + 1, after.length - WHAT - 1);
                }
            }
        }
    }
}
