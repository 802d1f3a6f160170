package dev.dibs.once;

import dev.dibs.LeaseInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of work that is done once a period. All times are by the database's clock.
 *
 * @param name its name
 * @param running the current runner
 * @param holder the label of the instance that ran it last; for people, not for decisions
 * @param lastSuccess when it was last done
 * @param lastFailure when it last failed
 * @param error the message of the last failure, up to 1,000 characters; empty if there was none
 * @param failures how often in a row it has failed, or its runner has vanished, since the last success
 * @param retryAt the earliest time of the next try after a failure
 * @param lastDuration how long the last success took
 */
public record OnceInfo(
        String name,
        Optional<LeaseInfo> running,
        String holder,
        Optional<Instant> lastSuccess,
        Optional<Instant> lastFailure,
        String error,
        long failures,
        Optional<Instant> retryAt,
        Optional<Duration> lastDuration) {}
