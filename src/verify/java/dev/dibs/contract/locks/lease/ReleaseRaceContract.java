package dev.dibs.contract.locks.lease;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullRun;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.OwnerToken;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A lock is free when its lease has been closed, however many callers try to acquire it at that moment. */
class ReleaseRaceContract extends ContractFixture {

    private static final int ROUNDS = 10;

    /** The statements by which a lease is acquired and released. */
    private record Way(String acquire, String release) {

        private static Params params(String name, String owner) {
            return Params.of("name", name).with("owner", owner);
        }

        boolean isKnownTo(Database database) {
            return database.statements().names().contains(acquire);
        }

        /** As Dibs sends it. */
        boolean takes(Database database, String name, String owner) throws SqlFailure {
            Params params = params(name, owner)
                    .withPairs(List.of(name), List.of(owner))
                    .with("permits", 1)
                    .with("holder", "one of four")
                    .with("lease", 60_000);
            try {
                NamedStatement<Row> declared = NamedStatement.of(acquire, Row::read, params.names())
                        .stopsWhen((row, values) -> settles(row, owner));
                return database.call(declared, LONG, params.values()).rows().stream()
                        .anyMatch(row -> owner.equals(row.owner));
            } catch (SqlFailure e) {
                // Two first acquires of a name may collide.
                assertThat(e.outcome()).isNotEqualTo(SqlFailure.Outcome.REFUSED);
                return false;
            }
        }

        private boolean settles(Row row, String owner) {
            return acquire.equals("acquire_reader") ? owner.equals(row.owner) : row.isHeld;
        }

        boolean releases(Database database, String name, String owner) throws SqlFailure {
            return database.call(release, params(name, owner).with("hold", 0), LONG)
                    .hit();
        }
    }

    private record Row(String owner, boolean isHeld) {

        static Row read(ResultSet row) throws SQLException {
            return new Row(row.getString("owner"), row.getLong("held_until") > row.getLong("read_at"));
        }
    }

    private static final Way LOCK = new Way("acquire_lock", "release_lock");
    private static final Way LOCKS_TOGETHER = new Way("acquire_each_lock", "release_lock");
    private static final Way PERMIT = new Way("acquire_permit", "release_permit");
    private static final Way WRITER = new Way("acquire_gate", "release_gate");
    private static final Way READER = new Way("acquire_reader", "release_reader");

    static Stream<Arguments> holdersAndOthers() {
        return Stream.of(
                Arguments.of(LOCK, LOCK),
                Arguments.of(LOCK, LOCKS_TOGETHER),
                Arguments.of(PERMIT, PERMIT),
                Arguments.of(WRITER, WRITER),
                Arguments.of(WRITER, READER));
    }

    @ParameterizedTest
    @MethodSource("holdersAndOthers")
    @FullRun(except = "postgresql")
    void aTryDoesNotHoldUpTheReleaseOfAnother(Way holder, Way other) throws Exception {
        assertThat(releasesHeldUp(holder, other)).isZero();
    }

    /**
     * Returns how many releases did not find the row. The others try without a look first, which locks the row most. A statement that was
     * running when the lease was acquired has been answered when it is released.
     */
    private int releasesHeldUp(Way holder, Way other) throws Exception {
        String name = fresh("closed");
        Database statements = asked(pool(), "dibs_");
        assumeTrue(other.isKnownTo(statements), "no such statement here");
        AtomicBoolean over = new AtomicBoolean();
        List<AtomicInteger> tries = Stream.generate(AtomicInteger::new).limit(3).toList();
        List<CompletableFuture<Void>> others = tries.stream()
                .map(count -> CompletableFuture.runAsync(() -> tryUntil(over, other, statements, name, count)))
                .toList();
        int heldUp = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String owner = OwnerToken.next();
            while (!holder.takes(statements, name, owner)) {
                Thread.onSpinWait();
            }
            awaitTwoOfEach(tries, others);
            while (!holder.releases(statements, name, owner)) {
                heldUp++;
            }
        }
        over.set(true);
        others.forEach(CompletableFuture::join);
        return heldUp;
    }

    /** The second try of each has begun after the lease was acquired. */
    private static void awaitTwoOfEach(List<AtomicInteger> tries, List<CompletableFuture<Void>> others) {
        List<Integer> before = tries.stream().map(AtomicInteger::get).toList();
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    assertThat(others).noneMatch(CompletableFuture::isCompletedExceptionally);
                    return IntStream.range(0, tries.size())
                            .allMatch(i -> tries.get(i).get() >= before.get(i) + 2);
                });
    }

    private static void tryUntil(AtomicBoolean over, Way way, Database statements, String name, AtomicInteger tries) {
        try {
            while (!over.get()) {
                String owner = OwnerToken.next();
                boolean held = way.takes(statements, name, owner);
                while (held) {
                    held = !way.releases(statements, name, owner);
                }
                tries.incrementAndGet();
            }
        } catch (SqlFailure e) {
            throw new IllegalStateException(e);
        }
    }
}
