package dev.dibs;

import java.time.Duration;

/** Closes an instance, and gives more time to what is under way. */
public final class PatientClose {

    private PatientClose() {}

    /** Returns when that has ended, or after this time. */
    public static void of(Dibs dibs, Duration patience) {
        dibs.close(patience);
    }
}
