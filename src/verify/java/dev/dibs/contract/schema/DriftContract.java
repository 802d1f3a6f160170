package dev.dibs.contract.schema;

import dev.dibs.Dibs;
import dev.dibs.Finding.Level;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullRun;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table of Dibs that has lost what its promises need is named with the column and the statement that cures it. */
@FullRun(except = "postgresql")
class DriftContract extends ContractFixture {
    private String prefix;
    private Database asked;
    private Statements statements;

    @BeforeEach
    void makeTables() throws SQLException {
        prefix = ownPrefix();
        dibs(pool(), prefix).admin().createSchema();
        asked = asked(pool(), prefix);
        statements = asked.statements();
    }

    private interface Change {
        String of(String text);
    }

    /** Makes the table again, by another text. */
    private void remake(TableSql table, Change change) throws SQLException {
        String text = statements.text(table.createStatement());
        String changed = change.of(text);
        assertThat(changed).as(table.name()).isNotEqualTo(text);
        sql().run("DROP TABLE " + table.name());
        sql().run(changed);
    }

    private void requireSound(TableSql table) throws Exception {
        assertThat(asked.problem(table, SOON)).as(table.name()).isEmpty();
    }

    /** Names the table and these words, and is cured by the statements that it tells. */
    private void requireNamed(TableSql table, String... words) throws Exception {
        String problem = asked.problem(table, SOON);
        assertThat(problem)
                .as(table.name())
                .startsWith("The table " + table.name() + " ")
                .contains(words);
        if (database().has(Trait.CHANGES_COLUMNS)) {
            for (String cure : cures(problem)) {
                sql().run(cure);
            }
            requireSound(table);
        }
    }

    private static String[] cures(String problem) {
        return problem.substring(problem.indexOf(". Run: ") + 7).split("; ", -1);
    }

    private static String withoutKey(String text) {
        return text.replaceAll(",\\s+PRIMARY KEY[A-Z ]* \\(.*\\)|( NOT NULL) PRIMARY KEY", "$1");
    }

    private static Change column(String name, String from, String to) {
        return text -> text.replaceAll("(?m)^( {4}" + name + " .*?)" + from, "$1" + to);
    }

    @Test
    void theTablesAsTheyAreMadeAreSound() throws Exception {
        for (TableSql table : statements.schema().all()) {
            assertThat(table.keys()).isNotEmpty();
            assertThat(table.exact()).isNotEmpty();
            requireSound(table);
        }
    }

    @Test
    void aLostKeyIsNamed() throws Exception {
        for (TableSql table : statements.schema().all()) {
            remake(table, DriftContract::withoutKey);
            requireNamed(table, "unique", String.join(", ", table.keys().get(0)));
            sql().run("CREATE INDEX " + table.name() + "_more ON " + table.name() + " ("
                    + table.exact().iterator().next() + ")");
            if (database().has(Trait.CHANGES_COLUMNS)) {
                requireSound(table);
            }
        }
    }

    @Test
    void anotherUniqueIndexOfTheSameColumnsWillDo() throws Exception {
        for (TableSql table : statements.schema().all()) {
            remake(table, DriftContract::withoutKey);
            List<String> key = new ArrayList<>(table.keys().get(0));
            Collections.reverse(key);
            sql().run("CREATE UNIQUE INDEX " + table.name() + "_other ON " + table.name() + " ("
                    + String.join(", ", key) + ")");
            sql().run("ALTER TABLE " + table.name() + " ADD COLUMN further bigint");
            requireSound(table);
        }
    }

    @Test
    void aUniqueIndexThatIsNoneOfAllRowsAndValuesIsNamed() throws Exception {
        TableSql table = statements.schema().all().get(0);
        for (String instead :
                database().unfitKeys(table.name(), table.keys().get(0).get(0))) {
            remake(table, DriftContract::withoutKey);
            sql().run(instead);
            requireNamed(table, "nothing makes " + table.keys().get(0).get(0) + " unique");
        }
    }

    @Test
    void aColumnOfAKeyThatMayBeNullIsNamed() throws Exception {
        for (TableSql table : statements.schema().all()) {
            List<String> key = table.keys().get(0);
            for (String column : key) {
                remake(table, text -> column(column, " NOT NULL", "").of(withoutKey(text)));
                sql().run("CREATE UNIQUE INDEX " + table.name() + "_other ON " + table.name() + " ("
                        + String.join(", ", key) + ")");
                requireNamed(table, "column " + column + " may be NULL");
            }
        }
    }

    @Test
    void aColumnThatMustBeNullAndMayNotIsNamed() throws Exception {
        for (TableSql table : statements.schema().all()) {
            for (String column : table.columns()) {
                if (table.mayBeNull(column)) {
                    remake(table, column(column, "(?=,?\\s*$)", " NOT NULL"));
                    requireNamed(table, "column " + column + " may not be NULL");
                }
            }
        }
    }

    @Test
    void aNarrowerColumnIsNamed() throws Exception {
        if (!database().has(Trait.KEEPS_TYPES)) {
            return;
        }
        for (TableSql table : statements.schema().all()) {
            for (String column : table.columns()) {
                boolean number = table.type(column).equals("bigint");
                if (number || table.exact().contains(column)) {
                    remake(table, number ? column(column, "bigint", "int") : column(column, "\\(\\d+\\)", "(9)"));
                    requireNamed(table, "column " + column + " is narrower than " + table.type(column));
                }
            }
        }
    }

    @Test
    void aColumnThatComparesOtherTextsAsEqualIsNamed() throws Exception {
        for (String collation : database().looseCollations()) {
            sql().run(collation);
        }
        for (TableSql table : statements.schema().all()) {
            for (String column : table.exact()) {
                for (String type : database().looseTypes(table.type(column))) {
                    remake(
                            table,
                            text -> text.replaceFirst(
                                    "(?m)^( {4}" + column + " +)\\Q" + table.type(column) + "\\E",
                                    "$1" + type.replace("\"", "\\\"")));
                    requireNamed(table, "its column " + column + " ");
                }
            }
        }
    }

    @Test
    void eachWayToAskNamesItAndTheFirstCallRefuses() throws Exception {
        TableSql table = statements.schema().all().get(0);
        Dibs dibs = dibs(counting(), prefix);
        dibs.lock("x").tryAcquire().orElseThrow().close();
        int looks = counting().looks().size();
        dibs.lock("x").tryAcquire().orElseThrow().close();
        assertThat(counting().looks())
                .as("nothing is asked again")
                .hasSize(looks)
                .hasSizeLessThan(12);
        remake(table, DriftContract::withoutKey);
        String named = "The table " + table.name() + " has changed";
        assertFails(dibs.admin()::checkSchema, named);
        assertFails(dibs.admin()::createSchema, named);
        assertLevel(Level.ERROR, dibs.admin().doctor(), "tables", named);
        Dibs fresh = dibs(pool(), prefix);
        assertFails(() -> fresh.lock("x").tryAcquire(), named);
        assertThat(fresh.once("x").every(LONG).tryRun(lease -> {}))
                .as("another table")
                .isNotNull();
        sql().run(cures(asked.problem(table, SOON))[0]);
        assertThat(fresh.lock("x").tryAcquire()).as("without a restart").isPresent();
    }

    /** The check would be part of the caller's transaction. */
    @Test
    void onTheConnectionOfTheCallerNothingIsAsked() throws Exception {
        String token = dibs(pool(), prefix).tokens("x").issue("ann", LONG);
        OneTimeTokens tokens = dibs(counting(), prefix).tokens("x").purgeEvery(Duration.ZERO);
        try (Connection connection = counting().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(tokens.consume(connection, token).status()).isEqualTo(TokenStatus.OK);
            connection.commit();
        }
        assertThat(counting().looks()).isNotEmpty().allMatch(look -> look.endsWith(" WHERE 0 = 1"));
        int looks = counting().looks().size();
        assertThat(tokens.issue("bob", LONG)).isNotEmpty();
        assertThat(counting().looks()).hasSizeGreaterThan(looks);
    }
}
