package dev.dibs.shedlock;

import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** Takes both locks or none. Nobody waits for one of them, so the order makes no deadlock. */
record TwoLockProvider(ExtensibleLockProvider former, ExtensibleLockProvider ours) implements ExtensibleLockProvider {

    @Override
    public Optional<SimpleLock> lock(LockConfiguration wanted) {
        // Held back only when both are ours: else nothing was done.
        Optional<SimpleLock> mine = ours.lock(unheld(wanted));
        return mine.flatMap(lock -> withFormer(lock, wanted));
    }

    private static LockConfiguration unheld(LockConfiguration wanted) {
        Duration atMost = wanted.getLockAtMostFor();
        return new LockConfiguration(
                wanted.getLockAtMostUntil().minus(atMost), wanted.getName(), atMost, Duration.ZERO);
    }

    private Optional<SimpleLock> withFormer(SimpleLock mine, LockConfiguration wanted) {
        Optional<SimpleLock> theirs = Optional.empty();
        try {
            theirs = former.lock(wanted);
        } finally {
            if (theirs.isEmpty()) {
                mine.unlock();
            }
        }
        return theirs.flatMap(lock -> both(mine, lock, wanted));
    }

    private static Optional<SimpleLock> both(SimpleLock mine, SimpleLock theirs, LockConfiguration wanted) {
        Optional<SimpleLock> held;
        try {
            held = held(mine, wanted);
        } catch (RuntimeException | Error e) {
            // The task does not run: neither lock waits for its end.
            new TwoLocks(wanted, theirs, mine).unlock();
            throw e;
        }
        return held.map(lock -> new TwoLocks(wanted, theirs, lock));
    }

    /** Empty if it was lost meanwhile: then the former lock ends by time. */
    private static Optional<SimpleLock> held(SimpleLock mine, LockConfiguration wanted) {
        Duration atLeast = wanted.getLockAtLeastFor();
        return atLeast.isZero() ? Optional.of(mine) : mine.extend(wanted.getLockAtMostFor(), atLeast);
    }

    /** For one thread at a time, as ShedLock uses it. */
    private static final class TwoLocks extends AbstractSimpleLock {

        private final SimpleLock mine;
        private SimpleLock theirs;

        TwoLocks(LockConfiguration wanted, SimpleLock theirs, SimpleLock mine) {
            super(wanted);
            this.theirs = theirs;
            this.mine = mine;
        }

        @Override
        protected void doUnlock() {
            try {
                theirs.unlock();
            } finally {
                mine.unlock();
            }
        }

        /** Empty if one of them is lost: then the other one is released. */
        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration more) {
            Duration atMost = more.getLockAtMostFor();
            Duration atLeast = more.getLockAtLeastFor();
            Optional<SimpleLock> extended = theirs.extend(atMost, atLeast);
            if (extended.isEmpty()) {
                mine.unlock();
                return Optional.empty();
            }
            // An extension of ours that fails leaves both here: to be unlocked, or extended again.
            theirs = extended.get();
            Optional<SimpleLock> mineToo = mine.extend(atMost, atLeast);
            if (mineToo.isEmpty()) {
                theirs.unlock();
            }
            return mineToo.map(lock -> new TwoLocks(more, theirs, lock));
        }
    }
}
