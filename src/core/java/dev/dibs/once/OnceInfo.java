package dev.dibs.once;

import dev.dibs.LeaseInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of work that is done once a period. All times are by the database's clock.
 *
 * <p>Dibs implements it, and later versions may add methods.
 */
public interface OnceInfo {

    /** Its name. */
    String name();

    /** The current runner. */
    Optional<LeaseInfo> running();

    /** The label of the instance that ran it last; for people, not for decisions. */
    String holder();

    /** When it was last done. */
    Optional<Instant> lastSuccess();

    /** When it last failed. */
    Optional<Instant> lastFailure();

    /** The message of the last failure, up to 1,000 characters; empty if there was none. */
    String error();

    /** How often in a row it has failed, or its runner has vanished, since the last success. */
    long failures();

    /** The earliest time of the next try after a failure. */
    Optional<Instant> retryAt();

    /** How long the last success took. */
    Optional<Duration> lastDuration();
}
