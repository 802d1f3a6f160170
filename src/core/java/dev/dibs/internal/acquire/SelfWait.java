package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Warns, once, of a caller that waits for a lease that its own thread has acquired. Another thread may close that lease, so the wait goes on.
 * For one thread.
 */
public final class SelfWait {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long QUIET = TimeUnit.SECONDS.toNanos(1);

    private final Patience patience;
    private @Nullable HeldLease own;

    /** For a wait that has begun; for a lease of this instance that is in the way, or none. */
    SelfWait(Patience patience, @Nullable HeldLease inTheWay) {
        this.patience = patience;
        this.own = inTheWay != null && inTheWay.thread().isCurrent() ? inTheWay : null;
    }

    /** How long to sleep at most: for the rest of the wait, but not beyond the moment of the warning. */
    public long remainingNanos() {
        long remaining = patience.remainingNanos();
        return own == null ? remaining : Math.min(remaining, Math.max(1, QUIET - patience.elapsedNanos()));
    }

    /** Returns whether it was time to warn. */
    public boolean warn() {
        HeldLease mine = own;
        if (mine == null || patience.elapsedNanos() < QUIET) {
            return false;
        }
        own = null;
        if (!mine.isOver()) {
            LOG.log(
                    Level.WARNING,
                    Strings.oneLine("'" + mine.name() + "' is not acquired: " + text(mine)
                            + " It waits until another thread closes that lease"));
        }
        return true;
    }

    /** Names the holder to a caller of the same instance. */
    static String text(HeldLease own) {
        String what = own.kind() == LeaseKind.PERMIT
                ? "one of its permits"
                : own.kind() == LeaseKind.READER ? "a read lease on it" : "it";
        return own.thread().isCurrent()
                ? "this thread itself holds " + what + ", and would wait for itself: use that lease, or close it first."
                : own.thread() + " of this Dibs holds " + what + ".";
    }
}
