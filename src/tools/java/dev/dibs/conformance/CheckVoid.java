package dev.dibs.conformance;

import java.time.Duration;

/** A check proves nothing, because it took too long for its lease. */
final class CheckVoid extends Exception {

    private static final long serialVersionUID = 1L;

    private final Duration wanted;

    /**
     * The check is to be repeated.
     *
     * @param wanted a lease that would have been long enough
     */
    CheckVoid(Duration wanted, String message) {
        super(message);
        this.wanted = wanted;
    }

    Duration wanted() {
        return wanted;
    }
}
