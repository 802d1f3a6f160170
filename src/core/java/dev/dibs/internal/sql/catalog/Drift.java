package dev.dibs.internal.sql.catalog;

import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares a table of ours with its text in the schema files: are the columns of its keys unique and NOT NULL, is no column narrower, and
 * do different texts differ where they must? The database answers, so names of collations and indexes do not count. Wider columns, further
 * ones and further indexes are fine. What the database does not let this user ask counts as right.
 */
public record Drift(Connection connection, Statements statements, TableSql table) {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Pattern LENGTH = Pattern.compile("\\((\\d+)\\)");
    private static final Set<Integer> SHORT_NUMBERS = Set.of(Types.INTEGER, Types.SMALLINT, Types.TINYINT, Types.REAL);

    /**
     * What is wrong, and the statements that cure it; an empty text if nothing is.
     *
     * @param columns as a query of the table returns them
     */
    public String problem(List<ColumnInfo> columns) throws SQLException {
        List<String> wrong = new ArrayList<>();
        List<String> cures = new ArrayList<>();
        Map<String, Set<String>> shown = new HashMap<>();
        ask(
                "find_drift",
                statements.inCatalog("drift_there", table),
                row -> shown.computeIfAbsent(
                                row.getString("fact") + row.getString("index_name"), any -> new HashSet<>())
                        .add(row.getString("column_name")));
        Set<String> narrow = Objects.requireNonNullElse(shown.remove("narrow"), Set.of());
        Set<String> nullable = Objects.requireNonNullElse(shown.remove("nullable"), Set.of());
        Set<String> unfit = Objects.requireNonNullElse(shown.remove("unfit"), Set.of());
        for (ColumnInfo found : columns) {
            String name = found.name().toLowerCase(Locale.ROOT);
            boolean mayBeNull = table.columns().contains(name) && table.mayBeNull(name);
            boolean isBound = mayBeNull || table.keys().stream().anyMatch(key -> key.contains(name));
            String about = !table.columns().contains(name)
                    ? ""
                    : shown.containsKey("table") && isBound && nullable.contains(name) != mayBeNull
                            ? mayBeNull ? "may not be NULL" : "may be NULL"
                            : problem(name, found, narrow);
            if (!about.isEmpty()) {
                wrong.add("its column " + name + " " + about);
                Map<String, String> texts = texts(name);
                texts.put("type", table.type(name));
                texts.put("null", mayBeNull ? "NULL" : "NOT NULL");
                texts.put("set_null", mayBeNull ? "DROP NOT NULL" : "SET NOT NULL");
                cures.add(statements.only("change_column", texts).text("change_column"));
            }
        }
        for (List<String> key : shown.containsKey("table") ? table.keys() : List.<List<String>>of()) {
            Set<String> names = Set.copyOf(key);
            if (!shown.containsValue(names)
                    && table.keys().stream().noneMatch(other -> other != key && names.containsAll(other))) {
                boolean primary = key.equals(table.keys().get(0))
                        && shown.keySet().stream().noneMatch(fact -> fact.startsWith("primary"));
                Map<String, String> texts = texts(String.join(", ", key));
                texts.put("drop", String.join("", unfit));
                texts.put("kind", primary ? "PRIMARY KEY" : "UNIQUE");
                wrong.add("nothing makes " + String.join(", ", key) + " unique");
                cures.add(statements.only("add_key", texts).text("add_key"));
            }
        }
        return wrong.isEmpty()
                ? ""
                : "The table " + table.name()
                        + " has changed since it was made, and Dibs cannot keep its promises in it: "
                        + String.join("; ", wrong) + ". Run: " + String.join("; ", cures);
    }

    private Map<String, String> texts(String column) {
        return new HashMap<>(Map.of("table", table.name(), "bare", SqlName.bare(table.name()), "column", column));
    }

    private String problem(String name, ColumnInfo found, Set<String> narrow) throws SQLException {
        boolean isExact = table.exact().contains(name);
        if ((isExact && narrow.contains(name))
                || (!statements.features().looseTypes() && isNarrower(found, table.type(name)))) {
            return "is narrower than " + table.type(name);
        }
        Set<String> equal = new HashSet<>();
        if (isExact) {
            Map<String, String> texts = texts(name);
            texts.put("table_text", table.name().replace("'", "''"));
            ask("compare_texts", statements.only("compare_texts", texts), row -> equal.add(name));
        }
        return equal.isEmpty() ? "" : "takes different texts for equal";
    }

    /** A CHAR keeps no blanks at the end; a size of zero is unknown. */
    private static boolean isNarrower(ColumnInfo found, String type) {
        Matcher length = LENGTH.matcher(type);
        return length.find()
                ? (found.size() > 0 && found.size() < Integer.parseInt(length.group(1)))
                        || (found.jdbcType() == Types.CHAR && type.contains("varchar"))
                : type.equals("bigint") && SHORT_NUMBERS.contains(found.jdbcType());
    }

    private interface Answer {
        boolean add(ResultSet row) throws SQLException;
    }

    /** If the database refuses the question, there is no answer. */
    private void ask(String name, Statements question, Answer answer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(question.text(name));
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                boolean unused = answer.add(row);
            }
        } catch (SQLException e) {
            if (connection.isClosed()) {
                throw e;
            }
            LOG.log(System.Logger.Level.DEBUG, "The table " + table.name() + " could not be checked", e);
        }
    }
}
