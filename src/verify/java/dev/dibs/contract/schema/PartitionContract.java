package dev.dibs.contract.schema;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import dev.dibs.tokens.OneTimeTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The tables of Dibs are partitioned. Rows of several partitions may then have the same place, and no operation may touch a row of
 * somebody else.
 */
class PartitionContract extends ContractFixture {
    /** So many that rows of different partitions share a place. */
    private static final int MANY = inFullRun(8, 4);

    private static final List<String> KINDS = Stream.concat(LeaseStatements.KINDS.stream(), Stream.of("held_lock"))
            .toList();

    private void needsPartitions() {
        assumeFalse(database().partitions("any", "name").isEmpty(), "there are no partitions here");
    }

    /** The column of its key by which a table is partitioned. */
    private static String column(String kind) {
        return switch (kind) {
            case "reader", "ticket" -> "owner";
            case "claim", "run_row" -> "row_key";
            case "range", "run_error" -> "id";
            case "token" -> "purpose";
            case "run_worker" -> "worker";
            default -> "name";
        };
    }

    private void partition(String table, String kind) throws SQLException {
        sql().run(database().partitions(table, column(kind)).toArray(String[]::new));
    }

    private List<String> rows(String table, String where) throws SQLException {
        return sql().wholeRows("SELECT * FROM " + table + " WHERE " + where);
    }

    @FullTest(except = "postgresql")
    void noStatementAboutLeasesTouchesTheRowOfAnother() throws Exception {
        needsPartitions();
        LeaseTable.each(this, KINDS, table -> {
            partition(table.table(), table.kind.replace("held_", ""));
            for (String statement : LeaseStatements.about(asked(pool(), "dibs_").statements(), table.kind)) {
                if (database().runs(statement)) {
                    check(table, statement);
                }
            }
        });
    }

    private void check(LeaseTable table, String statement) throws Exception {
        boolean changed = false;
        for (long until : new long[] {1, table.now + 30_000}) {
            for (int i = 0; i < MANY; i++) {
                table.insert("one-" + i, "one-" + i, table.now + LeaseTable.SOON);
                table.insert("two-" + i, "two-" + i, until);
            }
            List<String> ones = rows(table.table(), "name LIKE 'one-%'");
            List<String> twos = rows(table.table(), "name LIKE 'two-%'");
            for (int i = 0; i < MANY; i++) {
                boolean asks = statement.matches("(acquire|retake)_.*");
                table.hit(statement, "two-" + i, asks ? fresh("t") : "two-" + i);
            }
            assertThat(rows(table.table(), "name LIKE 'one-%'"))
                    .as(statement)
                    .containsExactlyInAnyOrderElementsOf(ones);
            changed |= rows(table.table(), "name LIKE 'two-%'").stream().noneMatch(twos::contains);
            table.clear();
        }
        assertThat(changed || !statement.matches("(release|leave|renew|purge|break)_(.+_)?" + table.kind + "s?"))
                .as(statement + " changes the rows of its own")
                .isTrue();
    }

    /** Two instances whose tables are partitioned. */
    private interface Check {
        void on(String prefix, Dibs one, Dibs two) throws Exception;
    }

    private void partitioned(Check check) throws Exception {
        needsPartitions();
        String prefix = prefix();
        try (Dibs one = unrenewed(prefix);
                Dibs two = unrenewed(prefix)) {
            one.admin().createSchema();
            for (String table : tables(prefix)) {
                partition(table, table.substring(prefix.length()));
            }
            check.on(prefix, one, two);
        }
        dropTables(prefix);
    }

    /** The leases are so long that no renewal changes a row while a test looks at it. */
    private Dibs unrenewed(String prefix) {
        return builder(pool())
                .tablePrefix(prefix)
                .leaseLength(Duration.ofHours(1))
                .build();
    }

    @FullTest(except = {"postgresql", "mariadb"})
    void aReleaseEndsNoLockOfAnother() throws Exception {
        partitioned((prefix, one, two) -> {
            List<Lease> mine = new ArrayList<>();
            List<Lease> theirs = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                mine.add(one.lock("one-" + i).tryAcquire().orElseThrow());
                theirs.add(two.lock("two-" + i).tryAcquire().orElseThrow());
            }
            List<String> held = rows(prefix + "lock", "name LIKE 'one-%'");
            for (Lease lease : theirs) {
                lease.inTransaction(pool(), tx -> {});
                lease.close();
            }
            for (int i = 0; i < MANY; i++) {
                assertThat(two.lock("one-" + i).tryAcquire()).isEmpty();
                assertThat(two.lock("two-" + i).tryAcquire()).isPresent();
            }
            two.close();
            assertThat(rows(prefix + "lock", "name LIKE 'one-%'")).containsExactlyInAnyOrderElementsOf(held);
            assertThat(rows(prefix + "lock", "name LIKE 'two-%' AND owner IS NOT NULL"))
                    .isEmpty();
            assertThat(mine).allMatch(Lease::isValid);
        });
    }

    @FullTest(except = {"postgresql", "mariadb"})
    void aPurgeOfOnePurposeLeavesTheTokensOfTheOthers() throws Exception {
        partitioned((prefix, one, two) -> {
            Function<String, OneTimeTokens> tokens =
                    purpose -> one.tokens(purpose).keepFor(Duration.ZERO).purgeEvery(Duration.ZERO);
            for (int i = 0; i < MANY; i++) {
                tokens.apply("live-" + i).issue("ann", Duration.ofHours(1));
                tokens.apply("old-" + i).issue("ann", Duration.ofMillis(1));
            }
            Thread.sleep(20);
            for (int i = 0; i < MANY; i++) {
                assertThat(tokens.apply("old-" + i).purge()).isEqualTo(1);
            }
            for (int i = 0; i < MANY; i++) {
                assertThat(tokens.apply("live-" + i).counts().live()).isEqualTo(1);
            }
        });
    }

    @FullTest(except = {"postgresql", "mariadb"})
    void noOperationOnClaimsTouchesTheRowOfAnother() throws Exception {
        partitioned((prefix, one, two) -> {
            try (Jobs ones = new Jobs(pool(), 4 * MANY);
                    Jobs twos = new Jobs(pool(), 4 * MANY)) {
                RowClaims<RowKey> mine = ones.ranges(one).build();
                RowClaims<RowKey> theirs = twos.ranges(two).build();
                List<Claim<RowKey>> ranges = new ArrayList<>();
                for (int i = 0; i < MANY; i++) {
                    mine.claim(1);
                    ranges.add(theirs.claim(3));
                    Claim<RowKey> left = mine.claim(2);
                    left.postpone(left.keys(), Duration.ofHours(1));
                    Claim<RowKey> last = ranges.get(i);
                    last.postpone(last.keys().subList(0, 1), Duration.ofHours(1));
                }
                String scope = "scope = '" + ones.table() + "'";
                List<String> claimed = rows(prefix + "claim", scope);
                List<String> range = rows(prefix + "range", scope);
                for (Claim<RowKey> claim : ranges) {
                    claim.renew();
                    theirs.release(claim.token());
                }
                ones.run("UPDATE " + prefix + "claim SET held_until = 2 WHERE scope = '" + twos.table() + "'");
                ones.run("UPDATE " + prefix + "range SET held_until = 1 WHERE scope = '" + twos.table()
                        + "' AND id <> 'dibs-cursor'");
                RowClaims<RowKey> others = twos.ranges(two).build();
                int seen = 0;
                for (Claim<RowKey> next = others.claim(5); !next.rows().isEmpty(); next = others.claim(5)) {
                    seen += next.rows().size();
                    next.renew();
                    if (seen % 2 == 0) {
                        theirs.release(next.token());
                        next = others.claim(5);
                    }
                    next.complete();
                    assertThat(rows(prefix + "claim", scope)).containsExactlyInAnyOrderElementsOf(claimed);
                    assertThat(rows(prefix + "range", scope)).containsExactlyInAnyOrderElementsOf(range);
                }
                assertThat(seen).isGreaterThan(MANY);
            }
        });
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void checkSchemaAndDoctorNameATableThatIsNotOrdinary() throws Exception {
        for (List<String> way : database().otherTables()) {
            String prefix = prefix();
            try (Dibs dibs = builder(pool()).tablePrefix(prefix).build();
                    Connection connection = pool().getConnection()) {
                dibs.admin().createSchema(Capability.LOCKS);
                dibs.admin().checkSchema();
                for (String statement : way) {
                    run(connection, statement.replace("#", prefix + "lock"));
                }
                String named = prefix + "lock is no ordinary table";
                assertThatThrownBy(dibs.admin()::checkSchema).as("%s", way).hasMessageContaining(named);
                assertThat(dibs.admin().doctor())
                        .filteredOn(finding -> finding.subject().equals("tables"))
                        .allMatch(finding -> finding.level() == Finding.Level.ERROR
                                && finding.message().contains(named))
                        .isNotEmpty();
            }
        }
    }
}
