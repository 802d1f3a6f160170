package dev.dibs.contract.locks.acquire;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On PostgreSQL, where a row records its last locker: a caller that cannot get all of several locks does not lock the free ones. */
@OnEachDatabase(PostgresDatabase.class)
class UntouchedRowContract extends ContractFixture {

    @Test
    void aCallerThatCannotGetAllLocksNoRow() throws Exception {
        String held = fresh("held");
        String free = fresh("free");
        assertThat(here().lock(held).tryAcquire()).isPresent();
        here().lock(free).tryAcquire().orElseThrow().close();
        String before = whoHasLocked(free);
        List<String> owners = List.of("0".repeat(31) + "1", "0".repeat(31) + "2");
        asked(pool(), "dibs_")
                .call(
                        "acquire_locks",
                        LeaseStatements.params(free, "").withPairs(List.of(free, held), owners),
                        LeaseTable.TIMEOUT);
        assertThat(whoHasLocked(free)).isEqualTo(before);
    }

    /** The last transaction that had locked it, which the row records. */
    private String whoHasLocked(String lock) throws SQLException {
        return sql().text("SELECT xmax FROM dibs_lock WHERE name = '" + lock + "'");
    }
}
