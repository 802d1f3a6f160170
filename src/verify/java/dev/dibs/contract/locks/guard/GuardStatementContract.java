package dev.dibs.contract.locks.guard;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The statements of a guard as programs in other languages send them, which may forget to begin a transaction. */
class GuardStatementContract extends ContractFixture {

    private String ownerOf(String name) throws SQLException {
        return sql().text("SELECT owner FROM dibs_lock WHERE name = ?", name);
    }

    @Test
    void theGuardFindsNothingOutsideOfATransactionWhereTheDatabaseCanTell() throws Exception {
        String name = fresh("outside");
        Database database = asked(pool(), "dibs_");
        assertThat(here().lock(name).tryAcquire()).isPresent();
        Connection connection = connection();
        Params params = Params.of("name", name).with("owner", ownerOf(name));
        assertThat(database.callOn(connection, "guard_lock", params).hit())
                .isEqualTo(!database().has(Trait.GUARD_TELLS_OF_NO_TRANSACTION));
        connection.setAutoCommit(false);
        assertThat(database.callOn(connection, "guard_lock", params).hit()).isTrue();
        connection.rollback();
    }

    @Test
    void theGuardWorksInATransactionThatBegan() throws Exception {
        String name = fresh("began");
        Database database = asked(pool(), "dibs_");
        assertThat(here().lock(name).tryAcquire()).isPresent();
        Connection connection = connection();
        Params params = Params.of("name", name).with("owner", ownerOf(name));
        // Not by the driver: other programs do so.
        for (String begin : database().begins()) {
            run(connection, begin);
            for (String question : database().failsOutsideOfTransactions()) {
                run(connection, question);
            }
            assertThat(database.callOn(connection, "guard_lock", params).hit()).isTrue();
            run(connection, "ROLLBACK");
        }
    }

    /** What docs/lab/protocol.md says to send before a guard where the guard does not tell. */
    @Test
    void theQuestionBeforeTheGuardFailsOutsideOfATransaction() throws Exception {
        List<String> questions = database().failsOutsideOfTransactions();
        String page = Files.readString(Path.of("docs", "lab", "protocol.md"));
        assertThat(questions).allMatch(page::contains);
        Connection connection = connection();
        for (String question : questions.subList(0, Math.max(0, questions.size() - 1))) {
            run(connection, question);
        }
        for (String last : questions.subList(Math.max(0, questions.size() - 1), questions.size())) {
            assertThatThrownBy(() -> run(connection, last)).isInstanceOf(SQLException.class);
        }
    }
}
