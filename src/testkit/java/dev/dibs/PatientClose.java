package dev.dibs;

import java.time.Duration;

/** Closes an instance that has longer for what is under way. */
public final class PatientClose {

    private PatientClose() {}

    /** Returns when that is over, or this time. */
    public static void of(Dibs dibs, Duration patience) {
        dibs.close(patience);
    }
}
