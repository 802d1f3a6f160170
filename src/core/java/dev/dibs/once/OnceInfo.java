package dev.dibs.once;

import dev.dibs.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of something that is done once a period. All times are by the database's clock.
 *
 * @param name its name
 * @param running who is at it now
 * @param holder the label of the instance that was at it last; for people, not for decisions
 * @param lastSuccess when it was last done
 * @param lastFailure when it last failed
 * @param error what the last failure said, up to 1,000 characters; empty if there was none
 * @param failures how often in a row it has failed, or vanished from its runner, since the last success
 * @param retryAt before when it is not tried again after a failure
 * @param lastDuration how long the last run took that ended
 */
public record OnceInfo(
        String name,
        Optional<LockInfo> running,
        String holder,
        Optional<Instant> lastSuccess,
        Optional<Instant> lastFailure,
        String error,
        long failures,
        Optional<Instant> retryAt,
        Optional<Duration> lastDuration) {}
