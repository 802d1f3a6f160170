package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Acquirable;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An acquire of several statements fails after some of them are committed. Its caller is not kept out by its own row, and nothing stays
 * held: the lease is far longer than the test.
 */
@Tag("fault")
class PartlyDoneFaultContract extends Fixture {

    private FaultyDataSource faulty;

    /** A kind of lease, and one that excludes it. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Kind {
        LOCK((dibs, name) -> dibs.lock(name)),
        HELD_LOCK((dibs, name) -> dibs.lock(name).holdAtLeast(Duration.ofMillis(1))),
        FAIR_LOCK((dibs, name) -> dibs.lock(name).fair()),
        PERMIT((dibs, name) -> dibs.semaphore(name, 1)),
        READER((dibs, name) -> dibs.readWriteLock(name).read()),
        WRITER((dibs, name) -> dibs.readWriteLock(name).write());

        private final BiFunction<Dibs, String, Acquirable<? extends Lease>> of;

        Kind(BiFunction<Dibs, String, Acquirable<? extends Lease>> of) {
            this.of = of;
        }

        Acquirable<? extends Lease> of(Dibs dibs, String name) {
            return of.apply(dibs, name);
        }

        /** A rival of a held lock holds nothing back: the lock is free as soon as it is released. */
        Acquirable<? extends Lease> rival(Dibs dibs, String name) {
            return switch (this) {
                case READER -> WRITER.of(dibs, name);
                case HELD_LOCK -> LOCK.of(dibs, name);
                default -> of(dibs, name);
            };
        }
    }

    /** What happens when one statement of an acquire fails. The caller heals the faults before it releases anything. */
    interface Scene {
        void play(Kind kind, String name, FaultyDataSource.Fault fault, Dibs dibs) throws Exception;
    }

    /** Plays the scene for each statement of each acquire, of a new name and of a used one. Then another process acquires the name. */
    private void eachStep(Scene scene) throws Exception {
        faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
            for (Kind kind : Kind.values()) {
                for (boolean used : new boolean[] {false, true}) {
                    boolean isThrough = false;
                    for (int step = 1; !isThrough; step++) {
                        String name = fresh(kind + (used ? "-used-" : "-new-") + step);
                        if (used) {
                            kind.rival(there, name).tryAcquire().orElseThrow().close();
                        }
                        AtomicInteger sent = new AtomicInteger();
                        scene.play(
                                kind,
                                name,
                                faulty.on(sql -> sent.incrementAndGet() > 0)
                                        .here()
                                        .time(step),
                                dibs);
                        isThrough = sent.get() < step;
                        kind.rival(there, name).acquire(LONG.dividedBy(2)).close();
                    }
                }
            }
        }
    }

    @Test
    @FullRun(except = "mysql")
    void aCallerIsNotKeptOutByItsOwnPart() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            // So that only the caller can release it.
            CountDownLatch background = new CountDownLatch(1);
            faulty.on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                    .always()
                    .holdBefore(background);
            fault.fail("40001", 0);
            try {
                Optional<? extends Lease> lease = kind.of(dibs, name).tryAcquire();
                faulty.heal();
                assertThat(lease).as(name).isPresent();
                lease.get().close();
            } finally {
                background.countDown();
            }
        });
    }

    @Test
    @FullRun(except = "mysql")
    void aPartOfARefusedAcquireIsReleased() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            fault.fail("42501", 0);
            acquireAndRelease(kind.of(dibs, name));
        });
    }

    @Test
    @FullRun
    void aPartOfAnUnansweredAcquireIsReleased() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            fault.loseAnswer();
            acquireAndRelease(kind.of(dibs, name));
        });
    }

    private void acquireAndRelease(Acquirable<? extends Lease> wanted) {
        Optional<? extends Lease> lease = Optional.empty();
        try {
            lease = wanted.tryAcquire();
        } catch (DatabaseFailureException e) {
            // An error is an error.
        }
        faulty.heal();
        lease.ifPresent(Lease::close);
    }
}
