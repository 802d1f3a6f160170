package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.internal.claims.store.PlannedClaims;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Drivers of other languages send one $n for each name and no types: PostgreSQL infers them. So every statement must be prepared that way,
 * and each parameter must have a type that accepts Dibs' values.
 */
@Tag("contract")
@OnEachDatabase(PostgresDatabase.class)
class UntypedParametersTest implements DatabaseUser {

    private static final String PREFIX = "untyped_";
    private static final String WORK = "untyped_work";

    private static final Pattern NOT_PREPARED = Pattern.compile("(CREATE|LISTEN|UNLISTEN|SHOW)\\b.*", Pattern.DOTALL);

    /** A statement that finds nothing here, for any values. */
    private static final String NOTHING = "find_conditions";

    /** Times do not fit into an integer. A name is an identifier. */
    private static final Set<String> TAKE_ALL = Set.of(
            "bigint",
            "numeric",
            "text",
            "character varying",
            "name",
            "bytea",
            "jsonb",
            "text[]",
            "bytea[]",
            "bigint[]");

    /** What PostgreSQL infers where parameters.properties names a type. */
    private static final Map<String, Set<String>> INFERRED = Map.of(
            "text", Set.of("text", "character varying", "name"),
            "bigint", Set.of("bigint", "numeric"),
            "bytes", Set.of("bytea"));

    private static final Map<String, PropertyFile.Entry> TYPES =
            DialectFolder.STANDARD.properties("parameters.properties");

    private HikariDataSource pool;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    @Test
    void everyStatementCanBePreparedWithoutTypes() throws SQLException {
        List<String> wrong = new ArrayList<>();
        int prepared = 0;
        try (Dibs dibs = Dibs.builder(pool).tablePrefix(PREFIX).build();
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            dibs.admin().createSchema();
            statement.execute("CREATE TABLE " + WORK
                    + " (id bigint PRIMARY KEY, token varchar(32), held_until bigint, done bigint NOT NULL)");
            Statements all = Statements.load(DialectFolder.named("postgresql"), PREFIX);
            for (Statements statements : withClaims(all)) {
                for (String name : statements.names()) {
                    for (PreparedSql step : statements.steps(name)) {
                        if (!NOT_PREPARED.matcher(step.jdbc()).matches()) {
                            prepare(statement, name, step, wrong);
                            prepared++;
                        }
                    }
                }
            }
            statement.execute("DROP TABLE " + WORK);
            for (TableSql table : all.schema().all()) {
                statement.execute("DROP TABLE " + table.name());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(prepared).isGreaterThan(200);
    }

    private static List<Statements> withClaims(Statements all) {
        ColumnInfo key = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
        List<Statements> some = new ArrayList<>(List.of(
                all,
                PlannedClaims.of(all, "side", WORK, key, "done = 0"),
                PlannedClaims.of(all, "range", WORK, key, "done = 0")));
        some.addAll(PlannedClaims.allOfTable(all, WORK, key, "token", "held_until", "done = 1"));
        return some;
    }

    private static void prepare(Statement statement, String name, PreparedSql step, List<String> wrong)
            throws SQLException {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        try {
            statement.execute("PREPARE untyped AS " + numbered(step, numbers));
        } catch (SQLException e) {
            wrong.add(name + ": " + e.getMessage());
            return;
        }
        try (ResultSet row = statement.executeQuery(
                "SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'untyped'")) {
            for (String parameter : numbers.keySet()) {
                row.next();
                if (!TAKE_ALL.contains(row.getString(1)) && !name.equals(NOTHING)) {
                    wrong.add(name + ": :" + parameter + " is taken for " + row.getString(1));
                }
                PropertyFile.Entry type = TYPES.get(parameter);
                String told = type == null ? "" : type.value().replaceFirst(",.*", "");
                if (!name.equals(NOTHING)
                        && !INFERRED.getOrDefault(told, TAKE_ALL).contains(row.getString(1))) {
                    wrong.add(name + ": :" + parameter + " is " + row.getString(1) + ", and not " + told);
                }
            }
        }
        statement.execute("DEALLOCATE untyped");
    }

    private static String numbered(PreparedSql step, Map<String, Integer> numbers) {
        StringBuilder text = new StringBuilder();
        int parameter = 0;
        for (char c : step.jdbc().toCharArray()) {
            if (c == '?') {
                String name = step.parameters().get(parameter++);
                numbers.putIfAbsent(name, numbers.size() + 1);
                text.append('$').append(numbers.get(name));
            } else {
                text.append(c);
            }
        }
        assertThat(parameter).isEqualTo(step.parameters().size());
        return text.toString();
    }
}
