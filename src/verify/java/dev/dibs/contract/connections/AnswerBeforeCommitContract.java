package dev.dibs.contract.connections;

import static org.assertj.core.api.Assumptions.assumeThat;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The feature {@code answers_before_commit}, for engines that send the rows of a statement before its commit fails, as nodes of Galera do.
 * Here a dialect over the database's own switches it on, and the commit fails.
 */
class AnswerBeforeCommitContract extends ContractFixture {

    private static final Pattern RETURNS_CHANGES = Pattern.compile("\\b(RETURNING|OUTPUT|FINAL TABLE)\\b");

    @TempDir
    private Path parent;

    @Test
    void rowsWhoseCommitFailsAreAnError() throws Exception {
        Statements statements = Statements.load(DialectFolder.at(cautious()), "dibs_");
        List<String> returning = Stream.of("acquire_lock", "renew_locks", "release_each_lock")
                .filter(statements.names()::contains)
                .filter(name -> RETURNS_CHANGES.matcher(statements.text(name)).find())
                .toList();
        assumeThat(returning).as("here, none returns what it changes").isNotEmpty();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Database database = asked(faulty, statements);
        String name = fresh("commit");
        Params mine = LeaseStatements.params(name, "mine").withPairs(List.of(name), List.of("mine"));

        if (!returning.contains("acquire_lock")) {
            database.call("acquire_lock", mine, LeaseTable.TIMEOUT);
        }
        for (String statement : returning) {
            List<String> before = rows(database, mine);
            faulty.on("COMMIT"::equals).fail("40001", 0);
            Assertions.assertThatThrownBy(() -> database.call(statement, mine, LeaseTable.TIMEOUT))
                    .as(statement)
                    .isInstanceOfSatisfying(
                            SqlFailure.class,
                            failure -> assertThat(failure.outcome()).isEqualTo(SqlFailure.Outcome.ROLLED_BACK));
            assertThat(rows(database, mine))
                    .as("after %s, taken back", statement)
                    .isEqualTo(before);
            faulty.heal();

            assertThat(database.call(statement, mine, LeaseTable.TIMEOUT).rows())
                    .as(statement)
                    .isNotEmpty();
            assertThat(rows(database, mine)).as("after %s", statement).isNotEqualTo(before);
        }
    }

    /** A node that runs a block again sends the rows of both runs as one answer that no driver understands, unless autocommit is off. */
    @Test
    void aBlockThatCommitsIsSentInATransaction() throws Exception {
        Statements statements = Statements.load(DialectFolder.at(cautious()), "dibs_");
        assumeThat(statements.text("acquire_lock")).containsPattern("\\bCOMMIT\\b");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Database database = asked(faulty, statements);
        Params mine = LeaseStatements.params(fresh("block"), "mine");
        faulty.on("COMMIT"::equals).fail("40001", 0);

        Assertions.assertThatThrownBy(() -> database.call("acquire_lock", mine, LeaseTable.TIMEOUT))
                .isInstanceOf(SqlFailure.class);
        assertThat(rows(database, mine)).as("the block has committed").hasSize(1);
    }

    /** The owner's lease, and when it ends. */
    private static List<String> rows(Database database, Params mine) throws SqlFailure {
        return database.call(
                        "find_locks",
                        mine,
                        LeaseTable.TIMEOUT,
                        row -> row.getString("owner") + " until " + row.getLong("held_until"))
                .rows();
    }

    private Path cautious() throws IOException {
        String dialect;
        try (var dibs = dibs()) {
            dialect = dibs.dialect().name();
        }
        Path folder = Files.createDirectory(parent.resolve("cautious"));
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\n" + dialect + "\n");
        Files.writeString(folder.resolve("features.properties"), "answers_before_commit = yes\n");
        return folder;
    }
}
