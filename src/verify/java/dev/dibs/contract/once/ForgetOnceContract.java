package dev.dibs.contract.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work that is done once can be forgotten, so that it is done again. */
@Tag("contract")
class ForgetOnceContract extends Fixture {

    @Test
    void forgottenWorkIsDueUnderEachSchedule() {
        String name = fresh("forgotten");
        String other = fresh("remembered");
        try (Dibs dibs = dibs()) {
            for (Once once : new Once[] {
                dibs.once(name).every(Duration.ofDays(30)),
                dibs.once(name).daily(OnceContract.zoneFarFrom(LocalTime.MIDNIGHT)),
                dibs.once(name).ever()
            }) {
                dibs.once(other).ever().tryRun(lease -> {});
                once.tryRun(lease -> {});
                assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
                assertThat(dibs.once(name).forget()).isTrue();
                assertThat(OnceContract.info(dibs, name).lastSuccess()).isEmpty();
                assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
            }
            assertThat(dibs.once(other).ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
        }
    }

    @Test
    void thePauseAfterAFailureIsForgotten() {
        String name = fresh("failed");
        try (Dibs dibs = dibs()) {
            Once once = dibs.once(name)
                    .backoff(Duration.ofHours(1), Duration.ofHours(1))
                    .every(Duration.ofDays(1));
            assertThatThrownBy(() -> once.tryRun(lease -> {
                        throw new IOException("the disk is full");
                    }))
                    .isInstanceOf(IOException.class);
            assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.FAILED);
            assertThat(dibs.once(name).forget()).isTrue();
            assertThat(OnceContract.info(dibs, name).retryAt()).isEmpty();
            assertThat(OnceContract.info(dibs, name).error())
                    .as("still to be seen")
                    .contains("the disk is full");
            assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        }
    }

    @Test
    void forgetLeavesTheRunningWorkerAlone() {
        String name = fresh("busy");
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            assertThat(there.once(name).forget()).as("nobody knows it").isFalse();
            OnceOutcome outcome = here.once(name).every(Duration.ofDays(1)).tryRun(lease -> {
                assertThat(there.once(name).forget()).isFalse();
                lease.check();
            });
            assertThat(outcome).isEqualTo(OnceOutcome.RAN);
            assertThat(OnceContract.info(there, name).lastSuccess()).isPresent();
        }
    }

    /** As by a runner that is just beginning. */
    @Test
    void forgetSkipsALockedRow() throws Exception {
        assumeRowLocks();
        String name = fresh("locked");
        try (HikariDataSource impatient = impatient();
                Dibs dibs = dibs(impatient);
                Connection other = pool().getConnection()) {
            dibs.once(name).every(Duration.ofDays(1)).tryRun(lease -> {});
            other.setAutoCommit(false);
            run(other, "UPDATE dibs_once SET failures = failures WHERE name = '" + name + "'");
            assertThat(dibs.once(name).forget()).isFalse();
            other.rollback();
            other.setAutoCommit(true);
            assertThat(OnceContract.info(dibs, name).lastSuccess()).isPresent();
        }
    }
}
