package dev.dibs.contract.statements;

import dev.dibs.database.Plans;
import dev.dibs.database.Sql;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A connection whose statements are explained with their bound values, and not sent. */
final class Explained {
    /** An index without a condition is read from its beginning to its end. */
    private static final Pattern H2_SCAN = Pattern.compile(
            PlannedTables.PREFIX + "\\w+\"?(?:\\s+\"?\\w+\"?)?\\s+/\\*\\s+PUBLIC\\.[\\w.]+\\s+\\*/",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern H2_INNER = Pattern.compile("(?:FINAL|OLD) TABLE \\(");

    private static final Pattern POSTGRESQL_SCAN = Pattern.compile("Seq Scan on " + PlannedTables.PREFIX + "\\w+.*"
            + "|Index (?:Only )?Scan (?:Backward )?using \\w+ on " + PlannedTables.PREFIX
            + "\\w+.*\\n(?!\\s*Index Cond).*"
            + "|Bitmap Index Scan on " + PlannedTables.PREFIX + "\\w+.*\\n(?!\\s*Index Cond).*");

    /** Of a table of ours, or of an alias of one. The alias m is one of a subquery. */
    private static final Pattern SQLITE_SCAN =
            Pattern.compile("SCAN (?:" + PlannedTables.PREFIX + "\\w+|[a-jln-su-z])\\b.*");

    /** With or without a setting before it. */
    private static final Pattern EXPLAINED =
            Pattern.compile("^((?:SET STATEMENT [^;]*? FOR\\s+)?)(?=SELECT|INSERT|UPDATE|DELETE)");

    /** The alias of the user's table in statements about claims. */
    private static final String USERS = "t";

    /** The method that binds a value, and the value. */
    private record Bound(String setter, Object value) {}

    private final Connection target;
    private final Plans how;
    private final List<String> scans = new ArrayList<>();
    private final StringBuilder plans = new StringBuilder();

    Explained(Connection target, Plans how) {
        this.target = target;
        this.how = how;
    }

    /** The parts of the plans that read a whole table. */
    List<String> scans() {
        return scans;
    }

    /** All plans. */
    String plans() {
        return plans.toString();
    }

    Connection connection() {
        return proxy(Connection.class, (method, arguments) -> switch (method) {
            case "prepareStatement" -> prepare((String) arguments[0]);
            case "createArrayOf" -> target.createArrayOf((String) arguments[0], (Object[]) arguments[1]);
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** The check of a table's protocol reads no row, and its columns are needed. */
    private PreparedStatement prepare(String sql) throws SQLException {
        return sql.endsWith(" WHERE 0 = 1") ? target.prepareStatement(sql) : statement(sql);
    }

    private PreparedStatement statement(String sql) {
        Map<Integer, Bound> bound = new TreeMap<>();
        return proxy(PreparedStatement.class, (method, arguments) -> switch (method) {
            case "setString", "setNString", "setLong", "setBytes", "setArray" ->
                bound.put((Integer) arguments[0], new Bound(method, arguments[1]));
            case "execute" -> explain(sql, List.copyOf(bound.values()));
            case "getMoreResults" -> false;
            case "getUpdateCount" -> -1;
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** The action of a proxy. */
    private interface Act {
        Object on(String method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Act act) {
        return type.cast(Proxy.newProxyInstance(
                Explained.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> act.on(method.getName(), arguments)));
    }

    /** Returns that there is no result. */
    private boolean explain(String sql, List<Bound> bound) throws Exception {
        switch (how) {
            case H2 -> h2(sql, bound);
            case POSTGRESQL -> {
                find(POSTGRESQL_SCAN, rows("EXPLAIN " + sql, bound));
                find(POSTGRESQL_SCAN, generic(sql, bound));
            }
            case SQLITE -> find(SQLITE_SCAN, rows("EXPLAIN QUERY PLAN " + sql, bound));
            default -> tabular(sql, bound);
        }
        return false;
    }

    private void find(Pattern scan, String plan) {
        plans.append(plan).append('\n');
        scan.matcher(plan).results().forEach(found -> scans.add(found.group()));
    }

    /** H2 does not explain a change that a SELECT reads from, so its text is cut out and explained. */
    private void h2(String sql, List<Bound> bound) throws Exception {
        find(H2_SCAN, rows("EXPLAIN " + sql, bound));
        Matcher inner = H2_INNER.matcher(sql);
        while (inner.find()) {
            String change = upToClosing(sql.substring(inner.end()));
            int before = marks(sql.substring(0, inner.end()));
            find(H2_SCAN, rows("EXPLAIN " + change, bound.subList(before, before + marks(change))));
        }
    }

    static String upToClosing(String text) {
        int depth = 1;
        int at = 0;
        while (depth > 0) {
            depth += text.charAt(at) == '(' ? 1 : text.charAt(at) == ')' ? -1 : 0;
            at++;
        }
        return text.substring(0, at - 1);
    }

    private static int marks(String text) {
        return (int) text.chars().filter(c -> c == '?').count();
    }

    /** Planned without the values of the parameters, as PostgreSQL does in the long run. */
    private String generic(String sql, List<Bound> bound) throws Exception {
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (int i = 0; i < sql.length(); i++) {
            char c = sql.charAt(i);
            text.append(c == '?' ? "$" + ++at : c);
        }
        String types = bound.stream().map(Explained::type).collect(Collectors.joining(", "));
        String nulls = String.join(", ", Collections.nCopies(bound.size(), "NULL"));
        String none = bound.isEmpty() ? "" : "(" + nulls + ")";
        Sql.on(target).run("SET plan_cache_mode = force_generic_plan");
        Sql.on(target).run("PREPARE planned " + (bound.isEmpty() ? "" : "(" + types + ")") + " AS " + text);
        try {
            return rows("EXPLAIN EXECUTE planned" + none, List.of());
        } finally {
            Sql.on(target).run("DEALLOCATE planned");
            Sql.on(target).run("RESET plan_cache_mode");
        }
    }

    /** The type as its driver names it. */
    private static String type(Bound bound) {
        return switch (bound.setter()) {
            case "setLong" -> "bigint";
            case "setBytes" -> "bytea";
            case "setArray" -> "text[]";
            default -> "varchar";
        };
    }

    /** A block, or a statement that only sets a variable, cannot be explained. */
    private void tabular(String sql, List<Bound> bound) throws Exception {
        Matcher explained = EXPLAINED.matcher(sql);
        if (!explained.find()) {
            return;
        }
        String text = explained.group(1) + "EXPLAIN " + sql.substring(explained.end(1));
        try (PreparedStatement statement = prepared(text, bound);
                ResultSet plan = statement.executeQuery()) {
            while (plan.next()) {
                String line = plan.getString("table") + " " + plan.getString("type") + " " + plan.getString("key") + " "
                        + plan.getString("rows") + " " + plan.getString("Extra");
                plans.append(line).append('\n');
                if (plan.getLong("rows") >= PlannedTables.MANY && !USERS.equals(plan.getString("table"))) {
                    scans.add(line);
                }
            }
        }
    }

    /** The last column of each row. */
    private String rows(String sql, List<Bound> bound) throws Exception {
        StringBuilder lines = new StringBuilder();
        try (PreparedStatement statement = prepared(sql, bound);
                ResultSet plan = statement.executeQuery()) {
            while (plan.next()) {
                lines.append(plan.getString(plan.getMetaData().getColumnCount()))
                        .append('\n');
            }
        }
        return lines.toString();
    }

    private PreparedStatement prepared(String sql, List<Bound> bound) throws SQLException {
        PreparedStatement statement = target.prepareStatement(sql);
        for (int i = 0; i < bound.size(); i++) {
            Object value = bound.get(i).value();
            switch (bound.get(i).setter()) {
                case "setLong" -> statement.setLong(i + 1, (Long) value);
                case "setBytes" -> statement.setBytes(i + 1, (byte[]) value);
                case "setArray" -> statement.setArray(i + 1, (Array) value);
                default -> statement.setString(i + 1, (String) value);
            }
        }
        return statement;
    }
}
