package dev.dibs.contract;

import static dev.dibs.contract.StrangerContract.FAR;
import static dev.dibs.contract.StrangerContract.OWNER;
import static dev.dibs.contract.StrangerContract.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever comes back to a lock that it has given back has it by a shorter way if it is free, and is told the same if it is not. */
@Tag("contract")
class RetakeContract extends Fixture {

    @Test
    void onlyWhatWasGivenBackAndHasPassedIsRetaken() throws Exception {
        eachWay(pool(), (table, retake) -> {
            table.insert("free", null, false);
            table.fence(FAR);
            assertThat(table.owners(retake, "free", STRANGER)).containsExactly(STRANGER);
            assertThat(table.rows()).containsExactly("free " + STRANGER + " changed");
            assertThat(table.fences()).containsExactly(FAR + 1);
            table.clear();
            table.insert("held", OWNER, true);
            table.insert("held-back", null, true);
            table.insert("passed", OWNER, false);
            for (String name : List.of("held", "held-back", "passed", "new")) {
                assertThat(table.owners(retake, name, STRANGER))
                        .as(retake + " " + name)
                        .isEmpty();
            }
            assertThat(table.rows())
                    .containsExactly("held " + OWNER + " held", "held-back null held", "passed " + OWNER + " passed");
        });
    }

    /** What there is to be said of each way to ask, alone and together with others. */
    interface Way {
        void check(LeaseTable table, String retake) throws Exception;
    }

    private void eachWay(HikariDataSource pool, Way way) throws Exception {
        LeaseTable.each(this, pool, List.of("lock"), table -> {
            for (String retake : table.of("retake_x", "retake_each_x")) {
                way.check(table, retake);
                table.clear();
            }
        });
    }

    @Test
    void whatSomebodyIsJustTakingIsNotRetakenNorWaitedFor() throws Exception {
        try (HikariDataSource impatient = impatient();
                Connection other = pool().getConnection()) {
            eachWay(impatient, (table, retake) -> {
                table.insert("free", null, false);
                other.setAutoCommit(false);
                table.lock(other, "free");
                assertThat(table.owners(retake, "free", STRANGER)).as(retake).isEmpty();
                other.rollback();
                other.setAutoCommit(true);
                assertThat(table.rows()).containsExactly("free null passed");
            });
        }
    }

    @Test
    void ofManyEachRetakesWhatWasGivenBack() throws Exception {
        LeaseTable.each(this, List.of("lock"), table -> {
            for (String retake : table.of("retake_each_x")) {
                table.insert("a", null, false);
                table.insert("b", OWNER, true);
                table.insert("c", null, false);
                table.insert("d", OWNER, false);
                List<String> names = List.of("c", "d", "new", "b", "a");
                List<String> owners = List.of("for-c", "for-d", "for-new", "for-b", "for-a");
                assertThat(table.ask(retake, names, owners)).isTrue();
                assertThat(table.rows())
                        .containsExactly(
                                "a for-a changed", "b " + OWNER + " held", "c for-c changed", "d " + OWNER + " passed");
            }
        });
    }

    @Test
    void aLockThatWasGivenBackComesAgainByTheShorterWay() {
        String name = fresh("again");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs other = dibs();
                Dibs dibs = builder(counting).lease(Duration.ofMinutes(1)).build()) {
            // By another one, since whoever makes a row asks for a purge.
            other.lock(name).tryAcquire().orElseThrow().close();
            Lease first = dibs.lock(name).tryAcquire().orElseThrow();
            first.close();
            counting.reset();
            Lease again = dibs.lock(name).tryAcquire().orElseThrow();
            assertThat(counting.statements()).hasSize(database().priceOfRetake());
            assertThat(again.fence()).isGreaterThan(first.fence());
            assertThat(again.takeover()).isEmpty();
            counting.reset();
            assertThat(dibs.lock(name).tryAcquire())
                    .as("it is not asked for that way while it is held here")
                    .isEmpty();
            assertThat(counting.statements()).hasSize(1);
            again.close();
        }
    }

    @Test
    void whoHasALockMeanwhileIsNamedAndTheOneWhoVanishedIsTold() throws Exception {
        String name = fresh("meanwhile");
        try (Dibs dibs = dibs();
                Dibs other = builder(pool()).holder("somebody else").build()) {
            dibs.lock(name).tryAcquire().orElseThrow().close();
            try (Lease theirs = other.lock(name).tryAcquire().orElseThrow()) {
                assertThat(dibs.lock(name).tryAcquire()).isEmpty();
                dibs.lock(name + "-2").tryAcquire().orElseThrow().close();
                Lease second = other.lock(name + "-2").tryAcquire().orElseThrow();
                NotAcquiredException busy = assertThrows(
                        NotAcquiredException.class, () -> dibs.lock(name + "-2").acquire(Duration.ZERO));
                assertThat(busy.holder())
                        .hasValueSatisfying(
                                holder -> assertThat(holder.holder()).isEqualTo("somebody else"));
                assertThat(theirs.isValid()).isTrue();
                second.close();
            }
            dibs.lock(name).tryAcquire().orElseThrow().close();
            vanished(name);
            Lease taken = await().atMost(Duration.ofSeconds(30))
                    .until(() -> dibs.lock(name).tryAcquire(), Optional::isPresent)
                    .orElseThrow();
            assertThat(taken.takeover())
                    .hasValueSatisfying(past -> assertThat(past.from().holder()).isEqualTo("vanished"));
            taken.close();
        }
    }

    /** As somebody who took it since, and died. */
    private void vanished(String name) throws SQLException {
        run("UPDATE dibs_lock SET owner = '" + OWNER + "', holder = 'vanished' WHERE name = '" + name + "'");
    }

    @Test
    void aLockWhoseRowIsGoneIsMadeAgain() throws Exception {
        String name = fresh("gone");
        try (Dibs dibs = dibs()) {
            Lease first = dibs.lock(name).tryAcquire().orElseThrow();
            first.close();
            run("DELETE FROM dibs_lock WHERE name = '" + name + "'");
            try (Lease again = dibs.lock(name).tryAcquire().orElseThrow()) {
                assertThat(again.fence()).isGreaterThan(first.fence());
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aRetakeWhoseAnswerWasLostIsFoundAgain() throws Exception {
        String name = fresh("answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
            dibs.lock(name).tryAcquire().orElseThrow().close();
            faulty.on(FaultContract.ANY).time(1).loseAnswer();
            try (Lease lease = dibs.lock(name).tryAcquire().orElseThrow()) {
                assertThat(faulty.struck()).hasSize(1);
                assertThat(there.lock(name).tryAcquire()).isEmpty();
                Thread.sleep(LEASE.toMillis());
                lease.check();
            }
            assertThat(there.lock(name).tryAcquire()).isPresent();
        }
    }

    @Test
    void aGuardThatOutlivesItsLeaseKeepsItFromWhoHadItBefore() throws Exception {
        String name = fresh("guarded");
        try (Dibs dibs = dibs();
                Dibs other = builder(pool()).lease(Duration.ofMillis(300)).build();
                Connection business = pool().getConnection()) {
            dibs.lock(name).tryAcquire().orElseThrow().close();
            Lease theirs = other.lock(name).tryAcquire().orElseThrow();
            business.setAutoCommit(false);
            theirs.guard(business);
            theirs.close();
            assertThat(dibs.lock(name).tryAcquire()).isEmpty();
            business.commit();
            business.setAutoCommit(true);
            assertThat(dibs.lock(name).tryAcquire(Duration.ofSeconds(20))).isPresent();
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
