package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.database.CountingDataSource;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code dibs statements} prints the statements that the library sends. */
@Tag("unit")
class StatementsVerbTest {

    private final Cli cli = new Cli(Map.of());

    static Set<String> dialects() {
        return Dialect.names();
    }

    @Test
    void sentStatementsArePrinted() throws Exception {
        String printed = cli.run("statements", "h2", "--style", "question").out();
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:statements;DB_CLOSE_DELAY=-1");
        CountingDataSource counting = new CountingDataSource(h2);
        try (Dibs dibs = Dibs.on(counting)) {
            dibs.admin().createSchema();
            counting.reset();
            Lease lease = dibs.lock("a").acquire(Duration.ZERO);
            dibs.lock("a").tryAcquire();
            lease.close();
            dibs.lock("a").acquire(Duration.ZERO).close();
            dibs.tokens("reset").consume(dibs.tokens("reset").issue("ann", Duration.ofMinutes(1)));
        }
        assertThat(counting.statements()).hasSizeGreaterThan(6).allMatch(printed::contains);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void everyStatementHasAContractAndEveryParameterAType(String dialect) {
        JsonObject printed = json("statements", dialect, "--format", "json", "--tables");
        assertThat(printed.get("dialect").getAsString()).isEqualTo(dialect);
        List<JsonElement> statements = printed.getAsJsonArray("statements").asList();
        assertThat(statements).hasSizeGreaterThan(100);
        for (JsonElement each : statements) {
            JsonObject statement = each.getAsJsonObject();
            String name = statement.get("name").getAsString();
            if (!name.startsWith("create_")) {
                assertThat(statement.get("contract").getAsString()).as(name).isNotBlank();
            }
            for (JsonElement parameter : statement.getAsJsonArray("parameters")) {
                assertThat(parameter.getAsJsonObject().get("type").getAsString())
                        .as(name)
                        .isNotBlank();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"named, :name, 5", "dollar, $4, 5", "question, ?, 5", "at, @p_name, 5", "pyformat, %(name)s, 5"})
    void aParameterIsWrittenAsADriverWantsIt(String style, String marker, int binds) {
        JsonObject retake = json("statements", "mariadb", "retake_lock", "--format", "json", "--style", style)
                .getAsJsonArray("statements")
                .get(0)
                .getAsJsonObject();
        JsonObject step = retake.getAsJsonArray("steps").get(0).getAsJsonObject();
        assertThat(step.get("sql").getAsString()).contains("WHERE name = " + marker + " AND");
        assertThat(step.getAsJsonArray("binds").asList()).hasSize(binds);
        assertThat(step.get("generatedKey").getAsString()).isEqualTo("fence");
    }

    @Test
    void textsThatLookLikeParametersStay(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now\nclock()\n");
        Files.writeString(folder.resolve("tokens.sql"), """
                -- name: revoke_token
                -- In 100 % of all cases.
                SELECT ':purpose ?', "a?", 5 % 2, x::bigint /* :digest ? */ -- ?
                  FROM t WHERE purpose = :purpose AND digest = :digest AND other = :purpose;
                """);
        assertThat(revoke(folder, Placeholders.DOLLAR))
                .contains("SELECT ':purpose ?', \"a?\", 5 % 2, x::bigint /* :digest ? */ -- ?")
                .endsWith("WHERE purpose = $1 AND digest = $2 AND other = $1");
        assertThat(revoke(folder, Placeholders.PYFORMAT))
                .contains("SELECT ':purpose ?', \"a?\", 5 %% 2,")
                .endsWith("WHERE purpose = %(purpose)s AND digest = %(digest)s AND other = %(purpose)s");
    }

    private static String revoke(Path folder, Placeholders style) {
        return StatementTexts.of(DialectFolder.at(folder), "dibs_", style).stream()
                .filter(text -> text.name().equals("revoke_token"))
                .map(StatementText::steps)
                .findFirst()
                .orElseThrow()
                .get(0)
                .sql();
    }

    @Test
    void theTablesAreNamedAndTheStepsAreDivided() {
        assertThat(cli.run("statements", "mysql", "acquire_lock", "--prefix", "p_", "--schema", "s")
                        .out())
                .startsWith("-- name: acquire_lock\n-- Acquires :name for :lease milliseconds")
                .contains(
                        "FROM s.p_lock",
                        "\n-- transaction: each step alone\n",
                        "\n-- else\n",
                        "\n-- then unless held\n");
        assertThat(cli.run("statements", "h2").out()).doesNotContain("CREATE TABLE");
        assertThat(cli.run("statements", "h2", "--tables").out()).contains("CREATE TABLE");
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void theStatementsOfClaimsAreComplete(String dialect) {
        String[] claims = {
            "statements", dialect, "--claims", "shop.mails", "--key", "id,code:varchar(40)", "--token", "claimed_by"
        };
        assertComplete(json(with(claims, "--format", "json")), "release_rows", "complete_rows", "count_rows");
        assertComplete(
                json(with(claims, "--format", "json", "--until", "claimed_until", "--complete-delete")),
                "renew_rows",
                "postpone_rows",
                "dead_letter_rows",
                "delete_rows");
    }

    private static void assertComplete(JsonObject printed, String... names) {
        List<JsonElement> statements = printed.getAsJsonArray("statements").asList();
        assertThat(statements)
                .extracting(statement -> statement.getAsJsonObject().get("name").getAsString())
                .contains("claim_rows", "find_rows", "release_token")
                .contains(names);
        assertThat(statements)
                .allSatisfy(statement ->
                        assertThat(statement.toString()).contains("shop.mails").doesNotContainPattern("\\{[a-z_]+}"));
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void mistakesInClaimsAreReportedInOneLine() {
        String[] claims = {"statements", "h2", "--claims", "mails", "--key", "id", "--token", "c"};
        assertOneLine("is not a table's name", "statements", "h2", "--claims", "ma;ils", "--key", "id", "--token", "c");
        assertOneLine("need --key and --token", "statements", "h2", "--claims", "mails", "--key", "id");
        assertOneLine("need --claims TABLE", "statements", "h2", "--token", "c");
        assertOneLine("is of the type fish, which cannot be a key here", with(claims, "--key", "x:fish"));
        assertOneLine("is not a type", with(claims, "--key", "x:int) OR (1"));
        assertOneLine("has a semicolon", with(claims, "--where", "a = 1; DROP TABLE mails"));
        assertOneLine("exclude each other", with(claims, "--complete-set", "a = 1", "--complete-delete"));
        assertOneLine("are not printed", with(claims, "--side"));
        assertOneLine("there is no statement 'acquire_lock'", with(claims, "acquire_lock"));
    }

    @Test
    void unknownStatementsAreReportedInOneLine() {
        assertOneLine("there is no statement 'acquire_token'", "statements", "h2", "acquire_token");
        assertOneLine("there is no dialect 'h3'", "statements", "h3");
        assertOneLine("NAMED, DOLLAR", "statements", "h2", "--style", "roman");
        assertOneLine("is not a dialect", "statements", "./nowhere");
    }

    private void assertOneLine(String said, String... arguments) {
        Cli.Outcome outcome = cli.run(arguments);
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.MISTAKE);
        assertThat(outcome.err().lines()).singleElement().asString().contains(said);
    }

    private JsonObject json(String... arguments) {
        return JsonParser.parseString(cli.run(arguments).out()).getAsJsonObject();
    }
}
