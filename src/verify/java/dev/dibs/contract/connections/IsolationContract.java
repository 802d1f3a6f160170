package dev.dibs.contract.connections;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.awaitility.Awaitility;

/**
 * Dibs works alike under each isolation of the pool: beside a row that another transaction has locked it waits for nothing. Its own
 * transactions lock no row that they do not change, and no gap: a worker that stands still in the middle of a claim keeps nobody's INSERT
 * waiting.
 */
class IsolationContract extends ContractFixture {

    private static final List<String> ISOLATIONS =
            List.of("READ_UNCOMMITTED", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE");

    /** What a program does beside a locked row. */
    private interface Action {
        void use(Scene scene) throws Exception;
    }

    private static final Map<String, Action> CAPABILITIES = new LinkedHashMap<>();

    static {
        CAPABILITIES.put("acquire and release", Scene::locks);
        CAPABILITIES.put("lockAll", Scene::locksTogether);
        CAPABILITIES.put("semaphore", Scene::permits);
        CAPABILITIES.put("read-write lock", Scene::readers);
        CAPABILITIES.put("fair lock", Scene::tickets);
        CAPABILITIES.put("claims", scene -> scene.claims(ownColumns(true), true));
        CAPABILITIES.put("claims without an index of the token", scene -> scene.claims(ownColumns(false), true));
        CAPABILITIES.put("markers", scene -> scene.claims(work -> work.token("request_token"), false));
        CAPABILITIES.put("side table", scene -> scene.claims(ClaimsBuilder::sideTable, true));
        CAPABILITIES.put("ranges", Scene::ranges);
        CAPABILITIES.put(
                "perKey",
                scene -> scene.claims(work -> ownColumns(true).apply(work).perKey("customer", 10), true));
        CAPABILITIES.put(
                "perKey with a side table",
                scene -> scene.claims(work -> work.sideTable().perKey("customer", 10), true));
        CAPABILITIES.put("run", Scene::run);
        CAPABILITIES.put("tokens", Scene::tokens);
        CAPABILITIES.put("once", Scene::once);
        CAPABILITIES.put("purges", Scene::purges);
    }

    private static Function<ClaimsBuilder, ClaimsBuilder> ownColumns(boolean index) {
        return work -> work.token(index ? "indexed_token" : "request_token").until("claimed_until");
    }

    @FullTest
    void nobodyWaitsAndNothingElseIsLocked() throws Exception {
        assumeRowLocks();
        List<String> wrong = new ArrayList<>();
        for (String isolation : ISOLATIONS) {
            HikariDataSource pool = closing(database().pool(config -> {
                config.setTransactionIsolation("TRANSACTION_" + isolation);
                config.setConnectionInitSql(database().endsWaits());
            }));
            for (Map.Entry<String, Action> capability : CAPABILITIES.entrySet()) {
                try (Scene scene = new Scene(pool)) {
                    capability.getValue().use(scene);
                    assertThat(scene.lockedBesides).isEmpty();
                } catch (Exception | AssertionError e) {
                    if (String.valueOf(e.getMessage())
                            .startsWith("perKey(..) needs connections that do not read uncommitted")) {
                        assertThat(isolation).isEqualTo("READ_UNCOMMITTED");
                        continue;
                    }
                    wrong.add(isolation + ", " + capability.getKey() + ": " + e);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** A table with rows 1 to 8 of two customers, an instance over the pool, and another transaction. */
    private final class Scene implements AutoCloseable {

        private final String table = prefix() + "isolated";
        private final FaultyDataSource faulty;
        private final Dibs dibs;
        private final Connection other = pool().getConnection();
        /** The rows that nobody has locked, and that a transaction of Dibs has locked nevertheless, or its locks. */
        private final Set<String> lockedBesides = new TreeSet<>();

        Scene(HikariDataSource isolated) throws SQLException {
            faulty = new FaultyDataSource(isolated);
            dibs = builder(faulty).build();
            other.setAutoCommit(false);
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            sql().run("CREATE TABLE " + table
                    + " (id bigint NOT NULL PRIMARY KEY, customer bigint NOT NULL, done_at bigint,"
                    + " request_token varchar(32), indexed_token varchar(32), claimed_until bigint)");
            sql().run("CREATE INDEX " + table + "_i ON " + table + " (indexed_token)");
            sql().run("CREATE INDEX " + table + "_c ON " + table + " (done_at, customer, id)");
            for (int id = 1; id <= 8; id++) {
                sql().run("INSERT INTO " + table + " (id, customer) VALUES (" + id + ", 1)");
            }
        }

        private void lock(String text, Object... values) throws SQLException {
            assertThat(Sql.on(other).change(text, values)).isEqualTo(1);
        }

        /** At each commit of Dibs from now on, these rows are not locked. */
        private void untouched(String column, String from, String condition) throws SQLException {
            faulty.on("COMMIT"::equals).always().actBefore(() -> {
                try (Connection stranger = pool().getConnection()) {
                    stranger.setAutoCommit(false);
                    long free = Sql.on(stranger)
                            .texts(database().selectUnlocked(column, from, condition))
                            .size();
                    long all = Sql.on(stranger).number("SELECT count(*) FROM " + from + " WHERE " + condition);
                    stranger.rollback();
                    if (free < all) {
                        lockedBesides.add((all - free) + " of " + from + " where " + condition);
                    }
                }
                return null;
            });
        }

        /** At each commit of Dibs from now on, others add rows to the table. */
        private void rowsCanBeAdded() {
            faulty.on("COMMIT"::equals).always().actBefore(() -> {
                try (Connection stranger = pool().getConnection()) {
                    Sql.on(stranger).run(database().endsWaits());
                    stranger.setAutoCommit(false);
                    for (int id : List.of(0, 9)) {
                        Sql.on(stranger).change("INSERT INTO " + table + " (id, customer) VALUES (?, 1)", id);
                    }
                    stranger.rollback();
                } catch (SQLException e) {
                    lockedBesides.add("a gap of the table: " + e);
                }
                return null;
            });
        }

        private String known(String name) {
            String fresh = fresh(name);
            used(fresh);
            return fresh;
        }

        private void lockName(String kind, String name) throws SQLException {
            lock("UPDATE dibs_" + kind + " SET holder = 'another' WHERE name = ?", name);
        }

        void locks() throws Exception {
            String locked = known("locked");
            String free = known("free");
            String besides = known("besides");
            lockName("lock", locked);
            untouched("name", "dibs_lock", "name = '" + besides + "'");
            assertThat(dibs.lock(locked).tryAcquire()).isEmpty();
            for (String name : List.of(free, fresh("new"))) {
                Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
                lease.inTransaction(faulty, tx -> {});
                lease.close();
                assertThat(here().lock(name).tryAcquire()).isPresent();
            }
        }

        void locksTogether() throws Exception {
            String locked = known("locked");
            String free = known("free");
            String besides = known("besides");
            lockName("lock", locked);
            untouched("name", "dibs_lock", "name = '" + besides + "'");
            assertThat(dibs.lockAll(List.of(locked, free)).tryAcquire()).isEmpty();
            dibs.lockAll(List.of(free, fresh("new"))).tryAcquire().orElseThrow().close();
            assertThat(here().lock(free).tryAcquire()).isPresent();
        }

        void permits() throws Exception {
            String name = fresh("permits");
            Lease first = here().semaphore(name, 3).tryAcquire().orElseThrow();
            Lease second = here().semaphore(name, 3).tryAcquire().orElseThrow();
            second.close();
            lock("UPDATE dibs_permit SET holder = 'another' WHERE name = ? AND slot = 0", name);
            untouched("slot", "dibs_permit", "name = '" + name + "' AND slot > 1");
            Lease third = dibs.semaphore(name, 3).tryAcquire().orElseThrow();
            Lease fourth = dibs.semaphore(name, 3).tryAcquire().orElseThrow();
            third.close();
            assertThat(dibs.semaphore(name, 3).tryAcquire()).isPresent();
            fourth.close();
            other.rollback();
            first.close();
        }

        void readers() throws Exception {
            String name = fresh("readers");
            Lease reader = here().readWriteLock(name).read().tryAcquire().orElseThrow();
            lockName("reader", name);
            dibs.readWriteLock(name).read().tryAcquire().orElseThrow().close();
            assertThat(dibs.readWriteLock(name).write().tryAcquire()).isEmpty();
            dibs.readWriteLock(fresh("others"))
                    .write()
                    .tryAcquire()
                    .orElseThrow()
                    .close();
            other.rollback();
            reader.close();
        }

        void tickets() throws Exception {
            String name = known("fair");
            Lease held = here().lock(name).tryAcquire().orElseThrow();
            lockName("lock", name);
            assertThat(dibs.lock(name).fair().tryAcquire()).isEmpty();
            other.rollback();
            held.close();
            dibs.lock(name).fair().acquire(SOON).close();
        }

        private RowClaims<RowKey> open(Dibs by, Function<ClaimsBuilder, ClaimsBuilder> kind) {
            return kind.apply(
                            by.claims(table).key("id").where("done_at IS NULL").orderBy("id"))
                    .completeSet("done_at = 1")
                    .leaseLength(LONG)
                    .build();
        }

        /** Rows 1 and 2 are claimed by another instance, 8 is done. Another transaction has locked 1 and 3. */
        void claims(Function<ClaimsBuilder, ClaimsBuilder> kind, boolean timed) throws Exception {
            RowClaims<RowKey> theirs = open(here(), kind);
            RowClaims<RowKey> claims = open(dibs, kind);
            assertThat(theirs.claim(2).keys()).containsExactlyElementsOf(keys(1, 2));
            sql().change("UPDATE " + table + " SET done_at = 1 WHERE id = 8");
            lock("UPDATE " + table + " SET customer = customer + 2 WHERE id = 1");
            lock("UPDATE " + table + " SET customer = customer + 2 WHERE id = 3");
            rowsCanBeAdded();
            Claim<RowKey> claim = claims.claim(10);
            assertThat(claim.keys()).containsExactlyInAnyOrderElementsOf(keys(4, 5, 6, 7));
            if (timed) {
                assertThat(claim.renew().lost()).isEmpty();
                assertThat(claim.postpone(keys(7), LONG).done()).hasSize(1);
            }
            assertThat(claim.complete(keys(4)).done()).hasSize(1);
            assertThat(claim.release(keys(5)).done()).hasSize(1);
            faulty.heal();
            untouched("id", table, "id IN (2, 8)");
            assertThat(claims.release(claim.token())).containsExactlyInAnyOrderElementsOf(timed ? keys(6) : keys(6, 7));
            faulty.heal();
            rowsCanBeAdded();
            Claim<RowKey> again = claims.claim(10);
            assertThat(again.keys()).containsExactlyInAnyOrderElementsOf(timed ? keys(5, 6) : keys(5, 6, 7));
            assertThat(again.completeAndClaim(10).next().keys()).isEmpty();
        }

        private List<RowKey> keys(long... keys) {
            List<RowKey> list = new ArrayList<>();
            for (long key : keys) {
                list.add(RowKey.of(key));
            }
            return list;
        }

        void ranges() throws Exception {
            RowClaims<RowKey> theirs = here().claims(table)
                    .key("id")
                    .ranges(table)
                    .leaseLength(LONG)
                    .build();
            RowClaims<RowKey> claims =
                    dibs.claims(table).key("id").ranges(table).leaseLength(LONG).build();
            String first = theirs.claim(2).token();
            lock("UPDATE dibs_range SET first_key = first_key WHERE scope = ? AND id = ?", table, first);
            untouched("id", table, "id >= 1");
            Claim<RowKey> claim = claims.claim(4);
            assertThat(claim.keys()).containsExactlyInAnyOrderElementsOf(keys(3, 4, 5, 6));
            assertThat(claim.renew().lost()).isEmpty();
            assertThat(claim.complete(keys(3, 4)).done()).hasSize(2);
            assertThat(claim.postpone(keys(5), LONG).done()).hasSize(1);
            assertThat(claims.release(claim.token())).containsExactlyElementsOf(keys(6));
        }

        void run() throws Exception {
            RowClaims<RowKey> claims = open(dibs, ownColumns(false));
            lock("UPDATE " + table + " SET customer = customer WHERE id = 2");
            Set<Long> done = new TreeSet<>();
            var workers = dibs.run(fresh("run"))
                    .over(claims)
                    .batch(3)
                    .work(key -> done.add(key.asLong()))
                    .start();
            Awaitility.await().atMost(SOON).until(() -> done.size() == 7);
            other.rollback();
            assertThat(workers.await(SOON)).isTrue();
            assertThat(dibs.run(workers.run().name()).errors(10)).isEmpty();
        }

        void tokens() throws Exception {
            OneTimeTokens tokens = dibs.tokens(fresh("reset")).onePerSubject();
            String one = tokens.issue("one", LONG);
            String two = tokens.issue("two", LONG);
            lock("UPDATE dibs_token SET tries = tries WHERE purpose = ? AND subject = 'one'", tokens.purpose());
            String next = tokens.issue("two", LONG);
            assertThat(tokens.consume(two).status()).isNotEqualTo(TokenStatus.OK);
            assertThat(tokens.consume(next).status()).isEqualTo(TokenStatus.OK);
            assertThat(tokens.revokeAll("three")).isZero();
            other.rollback();
            assertThat(tokens.consume(one).status()).isEqualTo(TokenStatus.OK);
        }

        void once() throws Exception {
            String locked = fresh("once");
            String free = fresh("once");
            assertThat(here().once(locked).ever().tryRun(lease -> {})).isNotNull();
            here().once(free).every(LONG).tryRun(lease -> {});
            lockName("once", locked);
            dibs.once(locked).ever().tryRun(lease -> {});
            dibs.once(fresh("new")).ever().tryRun(lease -> {});
            sql().change("UPDATE dibs_once SET succeeded_at = 0 WHERE name = ?", free);
            dibs.once(free).every(LONG).tryRun(lease -> {});
        }

        /** In tables of its own: the purge of another test may have the row, which this one then leaves to it. */
        void purges() throws Exception {
            String prefix = ownPrefix();
            try (Dibs first = builder(pool()).tablePrefix(prefix).build()) {
                first.admin().createSchema(Capability.LOCKS);
                first.lock("locked").tryAcquire().orElseThrow().close();
                first.lock("old").tryAcquire().orElseThrow().close();
            }
            sql().change("UPDATE " + prefix + "lock SET acquired_at = 1, held_until = 1");
            lock("UPDATE " + prefix + "lock SET holder = 'another' WHERE name = ?", "locked");
            asked(faulty, prefix)
                    .call(
                            "purge_locks",
                            Params.none().with("retention", 3_600_000L).with("batch", 100),
                            LONG);
            assertThat(sql().texts("SELECT name FROM " + prefix + "lock")).containsExactly("locked");
        }

        @Override
        public void close() throws Exception {
            faulty.heal();
            other.rollback();
            other.close();
            dibs.close();
            sql().run("DROP TABLE " + table);
        }
    }
}
