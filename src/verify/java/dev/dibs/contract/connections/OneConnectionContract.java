package dev.dibs.contract.connections;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.NamedLock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.rules.PublicApi;
import dev.dibs.runs.Run;
import dev.dibs.tokens.OneTimeTokens;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No call that gets the caller's connection, and no transaction of Dibs, takes another connection before its end: many callers over a small
 * pool would wait for each other.
 */
class OneConnectionContract extends ContractFixture {

    /** A call with the caller's connection. */
    private interface Joined {
        void call(Connection connection) throws SQLException;
    }

    /** What comes before it, without that connection. */
    private interface Before {
        Joined prepare(Dibs dibs) throws SQLException;
    }

    /**
     * One way to make a call.
     *
     * @param method its type and name, and the number of its parameters
     */
    private record Scene(String method, Before before) {}

    private List<Scene> scenes() {
        return List.of(
                new Scene("Lease.guard/1", dibs -> lease(dibs)::guard),
                new Scene("Leases.guard/1", dibs -> leases(dibs)::guard),
                new Scene("NamedLock.tryGuard/1", dibs -> {
                    NamedLock lock = dibs.lock(usedName());
                    assertThat(lock.awaitFree(SOON)).isTrue();
                    return connection -> assertThat(lock.tryGuard(connection)).isTrue();
                }),
                new Scene("NamedLock.tryGuard/1", dibs -> {
                    NamedLock lock = dibs.lock(usedName());
                    return connection -> assertThat(lock.tryGuard(connection))
                            .as("not awaited")
                            .isTrue();
                }),
                new Scene("NamedLock.tryGuard/1", dibs -> {
                    Lease lease = lease(there());
                    return connection -> assertThat(dibs.lock(lease.name()).tryGuard(connection))
                            .as("held")
                            .isFalse();
                }),
                new Scene("NamedLock.tryGuard/1", dibs -> {
                    NamedLock lock = dibs.lock(fresh("missing"));
                    return connection -> {
                        try {
                            assertThat(lock.tryGuard(connection)).as("missing").isFalse();
                        } catch (IllegalStateException e) {
                            assertThat(e).hasMessageContaining("awaitFree");
                        }
                    };
                }),
                new Scene("RowClaims.claim/2", dibs -> {
                    RowClaims<RowKey> claims = claims(dibs);
                    return connection ->
                            assertThat(claims.claim(connection, 2).keys()).hasSize(2);
                }),
                new Scene("RowClaims.claim/3", dibs -> {
                    RowClaims<RowKey> claims = claims(dibs);
                    return connection -> assertThat(
                                    claims.claim(connection, "mine", 2).keys())
                            .hasSize(2);
                }),
                new Scene("RowClaims.find/2", dibs -> {
                    RowClaims<RowKey> claims = claims(dibs);
                    claims.claim("mine", 2);
                    return connection ->
                            assertThat(claims.find(connection, "mine").keys()).hasSize(2);
                }),
                new Scene("Claim.complete/2", dibs -> {
                    Claim<RowKey> claim = claims(dibs).claim(2);
                    return connection -> assertThat(
                                    claim.complete(connection, claim.keys()).isComplete())
                            .isTrue();
                }),
                new Scene("Run.wake/1", dibs -> {
                    Run run = dibs.run(fresh("woken"));
                    return run::wake;
                }),
                new Scene("OneTimeTokens.consume/2", dibs -> {
                    OneTimeTokens tokens = dibs.tokens(fresh("reset"));
                    String token = there().tokens(tokens.purpose()).issue("ada", Duration.ofHours(1));
                    return connection ->
                            assertThat(tokens.consume(connection, token).isOk()).isTrue();
                }),
                new Scene("OneTimeTokens.consume/2", dibs -> {
                    OneTimeTokens tokens = dibs.tokens(fresh("unknown"));
                    String token = there().tokens(fresh("other")).issue("ada", Duration.ofHours(1));
                    return connection ->
                            assertThat(tokens.consume(connection, token).isOk()).isFalse();
                }));
    }

    /** Its row is there, so that no purge is requested when it is acquired. */
    private String usedName() {
        String name = fresh("alone");
        used(name);
        return name;
    }

    private Lease lease(Dibs dibs) {
        return dibs.lock(usedName()).tryAcquire().orElseThrow();
    }

    private Leases leases(Dibs dibs) {
        return dibs.lockAll(List.of(usedName(), usedName())).tryAcquire().orElseThrow();
    }

    private RowClaims<RowKey> claims(Dibs dibs) throws SQLException {
        Jobs jobs = jobs(4);
        return jobs.claims(dibs).build();
    }

    @Test
    void everyMethodWithAConnectionIsAmongTheScenes() throws Exception {
        Set<String> methods = PublicApi.ofCore().stream()
                .filter(type -> !type.isAnnotationPresent(FunctionalInterface.class))
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> Arrays.asList(method.getParameterTypes()).contains(Connection.class))
                .filter(method -> !method.isSynthetic())
                .map(OneConnectionContract::name)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = scenes().stream().map(Scene::method).collect(Collectors.toCollection(TreeSet::new));
        assertThat(known).isEqualTo(methods);
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "/" + method.getParameterCount();
    }

    /** Also the first call of an instance, which checks the protocol of a table. */
    @Test
    void aCallUsesTheCallersConnectionAlone() throws Exception {
        for (Scene scene : scenes()) {
            CountingDataSource counting = new CountingDataSource(pool());
            try (Dibs dibs = dibs(counting)) {
                Joined joined = scene.before().prepare(dibs);
                try (Connection business = pool().getConnection()) {
                    business.setAutoCommit(false);
                    await().until(() -> counting.openConnections() == 0);
                    counting.reset();
                    joined.call(business);
                    assertThat(counting.connections()).as(scene.method()).isZero();
                    business.rollback();
                    business.setAutoCommit(true);
                }
            }
        }
    }

    /** A failure is explained without another connection, too. */
    @FullTest(except = "h2")
    void aCallThatFailsUsesTheCallersConnectionAlone() throws Exception {
        boolean notifies = asked(pool(), "dibs_").statements().features().notifies();
        for (String state : List.of("42000", "40001", "08006")) {
            for (Scene scene : scenes()) {
                if (scene.method().equals("Run.wake/1") && !notifies) {
                    continue;
                }
                CountingDataSource counting = new CountingDataSource(pool());
                FaultyDataSource faulty = new FaultyDataSource(pool());
                try (Dibs dibs = dibs(counting)) {
                    Joined joined = scene.before().prepare(dibs);
                    try (Connection business = faulty.getConnection()) {
                        business.setAutoCommit(false);
                        faulty.on(sql -> !sql.equals("ROLLBACK")).always().fail(state, 0);
                        await().until(() -> counting.openConnections() == 0);
                        counting.reset();
                        assertThatThrownBy(() -> joined.call(business))
                                .as(scene.method())
                                .isNotNull();
                        assertThat(counting.connections())
                                .as(scene.method() + " " + state)
                                .isZero();
                        business.rollback();
                        faulty.heal();
                        business.setAutoCommit(true);
                    }
                }
            }
        }
    }

    @Test
    void aTransactionOfDibsTakesOneConnection() throws Exception {
        CountingDataSource counting = new CountingDataSource(pool());
        FaultyDataSource faulty = new FaultyDataSource(counting);
        try (Dibs dibs = dibs(faulty)) {
            NamedLock lock = dibs.lock(usedName());
            Lease lease = lease(dibs);
            counting.reset();
            lock.inTransaction(faulty, tx -> {});
            assertThat(lock.<Integer, SQLException>tryCallInTransaction(faulty, SOON, tx -> 1))
                    .isPresent();
            lease.inTransaction(faulty, tx -> {});
            faulty.on("COMMIT"::equals).loseAnswer();
            assertThatThrownBy(() -> lock.inTransaction(faulty, tx -> {})).hasMessageContaining("commit");
            faulty.on("COMMIT"::equals).loseAnswer();
            assertThatThrownBy(() -> lease.inTransaction(faulty, tx -> {})).hasMessageContaining("commit");
            assertThat(counting.mostOpen()).isEqualTo(1);
        }
    }

    /** A run that does not know whether its row's transaction was committed asks when that one's connection is back. */
    @Test
    void aRowOfARunTakesOneConnection() throws Exception {
        CountingDataSource counting = new CountingDataSource(pool());
        FaultyDataSource faulty = new FaultyDataSource(counting);
        Jobs jobs = jobs(6);
        AtomicInteger worked = new AtomicInteger();
        try (Dibs dibs = dibs(faulty)) {
            NamedLock lock = dibs.lock(usedName());
            assertThat(lock.awaitFree(SOON)).isTrue();
            var workers = dibs.run(fresh("single"))
                    .over(jobs.claims(dibs).build())
                    .total(6)
                    .batch(2)
                    .workInTransaction((key, tx) -> {
                        assertThat(lock.tryGuard(tx)).isTrue();
                        worked.incrementAndGet();
                        jobs.effect(tx, key.asLong());
                    });
            await().until(() -> counting.openConnections() == 0);
            faulty.on(sql -> worked.get() > 1 && sql.equals("COMMIT")).actAfter((FaultyDataSource.Act) () -> {
                throw new SQLException("planted loss of the answer", "08006");
            });
            counting.reset();
            assertThat(workers.start().await(LONG)).isTrue();
            // A run that takes longer than a moment also reports that it is alive, on a thread of its own.
            assertThat(counting.mostOfOneThread()).isEqualTo(1);
        }
        assertThat(faulty.struck()).hasSize(1);
        assertThat(jobs.effects()).hasSize(6).allMatch(effects -> effects == 1);
    }
}
