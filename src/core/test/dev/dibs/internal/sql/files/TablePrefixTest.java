package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class TablePrefixTest {

    private static final List<String> SPELLINGS =
            List.of("\"a`b]\"\"c's.d (e\".dibs_", "`a``b]\"c's.d (e`.dibs_", "[a`b]]\"c's.d (e].dibs_");

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "sqlserver"})
    void aQuotedSchemaHasTheStandardQuotes(String dialect) {
        requireNames(dialect, "\"a`b]\"\"c's.d (e\".dibs_");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql", "galera"})
    void aQuotedSchemaHasBackquotesWhereTheDatabaseDoes(String dialect) {
        requireNames(dialect, "`a``b]\"c's.d (e`.dibs_");
    }

    /** However the user quotes it. Within a literal, its apostrophes are doubled. */
    private static void requireNames(String dialect, String prefix) {
        for (String spelling : SPELLINGS) {
            Statements statements = Statements.load(DialectFolder.named(dialect), spelling);
            assertThat(statements.text("create_lock")).contains(prefix + "lock (");
            assertThat(statements.schema().all())
                    .extracting(TableSql::name)
                    .contains(prefix + "lock", prefix + "token");
            assertThat(statements.capabilitiesOf("release_lock")).containsExactly("locks");
            assertThat(statements.text("find_columns"))
                    .contains("'" + prefix.replace("'", "''") + "lock'")
                    .doesNotContain("c's", "{");
        }
    }

    @Test
    void aSchemaIsComparedAsItIsWrittenOnlyIfItIsQuoted() {
        DialectFolder h2 = DialectFolder.named("h2");
        assertThat(Statements.load(h2, "\"App\".dibs_").text("find_columns"))
                .contains("c.table_schema = 'App'")
                .doesNotContain("upper('App')");
        assertThat(Statements.load(h2, "App.dibs_").text("find_columns")).contains("upper('App')");
    }

    /** A schema's name may have the words of SQL. */
    @Test
    void aNameDoesNotCountAsAKeyword() {
        DialectFolder postgresql = DialectFolder.named("postgresql");
        PreparedSql query = Statements.load(postgresql, "\"COMMIT\".dibs_")
                .steps("find_locks")
                .get(0);
        PreparedSql change =
                Statements.load(postgresql, "dibs_").steps("release_lock").get(0);
        assertThat(query.returnsChanges() || query.changes()).isFalse();
        assertThat(change.returnsChanges() && change.changes()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1x",
                "a.",
                ".a",
                "a..b",
                "a.b.c.d",
                "a b",
                "a;",
                "a--",
                "a'",
                "[a]",
                "ä",
                "{now}",
                ":a",
                "dibs_\n",
                "\"a\"",
                "\"a\".\"b\"",
                "\"a\\b\".x",
                "\"{now}\".x",
                "\"a\nb\".x",
                "\"a.x",
                "\"\".x"
            })
    void aPrefixThatCannotBeCarriedIsRefused(String prefix) {
        DialectFolder h2 = DialectFolder.named("h2");
        assertThatThrownBy(() -> Statements.load(h2, prefix)).isInstanceOf(IllegalArgumentException.class);
    }
}
