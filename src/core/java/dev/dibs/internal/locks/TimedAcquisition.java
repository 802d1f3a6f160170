package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.TimedLease;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Texts;
import java.time.Duration;

/** A lock whose leases are not renewed. */
final class TimedAcquisition extends Acquisition<TimedLease> {

    TimedAcquisition(Acquirer acquirer, Acquiring way, Duration lease) {
        super(acquirer, way, lease, TimedLease.class);
    }

    @Override
    public Acquirable<TimedLease> leaseLength(Duration lease) {
        return new TimedAcquisition(acquirer(), way(), Term.checkTimed(lease));
    }

    @Override
    public String toString() {
        return "NamedLock[" + Texts.escape(name()) + ", " + Arguments.text(lease()) + " at most]";
    }
}
