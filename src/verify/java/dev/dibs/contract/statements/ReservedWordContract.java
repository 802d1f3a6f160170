package dev.dibs.contract.statements;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.files.EffectiveTexts;
import dev.dibs.internal.sql.files.Products;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * No column, alias or named query in the statements of any dialect is a reserved word of any database: a statement in standard form is sent
 * to all of them. Each database is asked itself. SQL Server's words are those of Microsoft's driver, since no server is here.
 */
class ReservedWordContract extends ContractFixture {

    /** What opens or closes a part, CAST, and what stands where a name may. Statements write names in small letters. */
    private static final Pattern PART = Pattern.compile(
            "(?<cast>(?i:\\btry_cast|\\bcast)\\s*)?(?<open>\\()|(?<close>\\))"
                    + "|\\bAS\\s+(?<alias>[a-z_]\\w*)|\\b(?<query>[a-z_]\\w*)\\s+AS\\s+(?:MATERIALIZED\\s+)?(?=\\()"
                    + "|(?<=[(,])\\s*(?<column>[a-z_]\\w*)\\s+(?:big|small)?(?:int|n?varchar|char|text|blob|binary|varbinary|bytea|uuid)\\b");

    private static final Pattern TEXTS = Pattern.compile("'[^']*'|--.*");

    @Test
    void thisDatabaseTakesEachName() throws SQLException {
        Set<String> names = names();
        String table = prefix() + "names";
        Connection connection = connection();
        run(connection, names.stream().collect(Collectors.joining(" int, ", "CREATE TABLE " + table + " (", " int)")));
        run(connection, "DROP TABLE " + table);
        for (String name : names) {
            assertThat(Sql.on(connection).number("SELECT 1 AS " + name + " FROM (SELECT 1 AS one) AS " + name))
                    .isEqualTo(1);
        }
    }

    @Test
    void noNameIsReservedOnSqlServer() throws ReflectiveOperationException {
        assertThat(names()).isNotEmpty().doesNotContainAnyElementsOf(wordsOfSqlServer());
    }

    /** Its driver gives them to those who have a connection only. */
    private static Set<String> wordsOfSqlServer() throws ReflectiveOperationException {
        Field words = Class.forName("com.microsoft.sqlserver.jdbc.SQLServerDatabaseMetaData")
                .getDeclaredField("SQL_KEYWORDS");
        words.setAccessible(true);
        return Set.of(words.get(null).toString().toLowerCase(Locale.ROOT).split(","));
    }

    private static Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (String dialect : Products.dialects()) {
            EffectiveTexts.of(dialect).values().forEach(text -> names.addAll(names(text)));
        }
        return names;
    }

    private static Set<String> names(String text) {
        Set<String> names = new HashSet<>();
        Deque<Boolean> casts = new ArrayDeque<>(List.of(false));
        Matcher part = PART.matcher(TEXTS.matcher(text).replaceAll(""));
        while (part.find()) {
            if (part.group("open") != null) {
                casts.push(part.group("cast") != null);
            } else if (part.group("close") != null) {
                casts.poll();
            } else if (part.group("alias") == null) {
                names.add(part.group("query") == null ? part.group("column") : part.group("query"));
            } else if (!Boolean.TRUE.equals(casts.peek())) {
                names.add(part.group("alias"));
            }
        }
        return names;
    }
}
