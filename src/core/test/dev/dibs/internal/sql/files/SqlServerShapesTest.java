package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks by position what each batch for SQL Server consists of, without a server. */
@Tag("unit")
class SqlServerShapesTest {

    /** The standard form, which is never sent there; and what is no query and no change of rows. */
    private static final Pattern NOT_SENT =
            Pattern.compile("(un)?listen 1|retake_(each_)?lock 1|rights grant 1|tables add_column 1");

    @Test
    void everythingStandsWhereItMay() {
        Map<String, Set<String>> wrong = new LinkedHashMap<>();
        EffectiveTexts.stepsOf("sqlserver").forEach((name, text) -> {
            Set<String> found = TsqlShape.wrongIn(text);
            if (!found.isEmpty() && !NOT_SENT.matcher(name).matches()) {
                wrong.put(name, found);
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void fragmentsThatCallersChooseAreChecked() {
        EffectiveTexts.of("sqlserver").forEach((name, text) -> {
            if (name.startsWith("{")) {
                assertThat(TsqlShape.wrongInExpression(text)).as(name).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UPDATE l SET a = 1 FROM x WITH (ROWLOCK) AS l | behind a table of FROM
            UPDATE l SET a = 1 WHERE b = 1 FROM x AS l | FROM behind WHERE
            UPDATE x SET a = 1 WITH (ROWLOCK) WHERE b = 1 | WITH in SET
            UPDATE l WITH (ROWLOCK) SET a = 1 FROM x AS l | stand in FROM
            UPDATE l SET a = 1 FROM x AS k | l is no table of FROM
            UPDATE x WITH (NOLOCK) SET a = 1 | NOLOCK on what is changed
            UPDATE l SET a = 1 FROM x AS l WITH (NOLOCK) | NOLOCK on what is changed
            UPDATE x TOP (1) SET a = 1 | TOP is not the first word
            UPDATE TOP 1 x SET a = 1 | TOP without parentheses
            UPDATE x OUTPUT inserted.a SET a = 1 | SET behind OUTPUT
            UPDATE x SET a = 1 WHERE b = 1 OUTPUT inserted.a | OUTPUT behind WHERE
            UPDATE l SET a = 1 OUTPUT k.* FROM x AS l, y AS k | OUTPUT of k
            UPDATE t SET a = 1 OUTPUT inserted.a FROM {table} AS t | may have a trigger
            UPDATE x SET a = 1 OUTPUT inserted.a INTO @done | @done is no table of this batch
            UPDATE TOP (1) c SET token = 1 FROM x AS c WHERE scope = 1 | scope without the name
            UPDATE TOP (1) c SET token = fence FROM x AS c | fence without the name
            UPDATE x SET a = 1 UPDATE y SET b = 1 | UPDATE behind SET
            DELETE FROM x OUTPUT inserted.a | OUTPUT of inserted
            DELETE l WHERE a = 1 FROM x AS l | FROM behind WHERE
            INSERT INTO x WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK) (a) VALUES (1) | READPAST on what is changed
            INSERT INTO x (a) VALUES (1) OUTPUT inserted.a | INSERT with OUTPUT behind its rows
            INSERT INTO x (a) OUTPUT deleted.a VALUES (1) | OUTPUT of deleted
            INSERT INTO x (a) | INSERT without rows
            SELECT a WHERE b = 1 FROM x | FROM behind WHERE
            SELECT a TOP (1) FROM x | TOP is not the first word
            SELECT a FROM x ORDER BY a WHERE b = 1 | WHERE behind ORDER
            SELECT a FROM x WHERE b IN (SELECT b FROM y ORDER BY b) | ORDER BY without TOP
            SELECT a FROM (SELECT b INTO #b FROM y) AS k | INTO in a subquery
            SELECT a FROM x FOR UPDATE | FOR in SELECT
            SELECT a FROM x LIMIT 1 | LIMIT in SELECT
            SELECT a FROM x WITH (ROWLOCK, READPAST) | READPAST without ROWLOCK and READCOMMITTEDLOCK
            SELECT a FROM x WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK, HOLDLOCK) | hints that conflict
            SELECT a FROM x WITH (NOLOCK, UPDLOCK) | NOLOCK beside a hint that locks
            SELECT a FROM x WITH (NOLOCK UPDLOCK) | hints without a comma
            SELECT a FROM x WITH (SKIPLOCKED) | the hint SKIPLOCKED
            SELECT a FROM (SELECT b FROM y) AS k WITH (NOLOCK) | hints of what is no table
            SELECT a FROM OPENJSON(:p) WITH (a int) AS p WITH (NOLOCK) | hints of what is no table
            SELECT a FROM x AS l LOOP JOIN y AS k ON l.a = k.a | LOOP behind a table of FROM
            SELECT a FROM x AS l JOIN y AS k ON l.a = k.a LOOP JOIN z AS m ON 1 = 1 | a join hint without INNER
            SELECT @a | @a is not declared
            SELECT a FROM #dibs_keys | #dibs_keys is no table of this batch
            IF 1 = 1 BEGIN SELECT 1; | BEGIN without END
            SELECT (1 | a parenthesis that is not closed
            """)
    void findsMisplacedSql(String batch, String wrong) {
        assertThat(TsqlShape.wrongIn(batch))
                .anySatisfy(found -> assertThat(found).contains(wrong));
    }
}
