package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Work that is done once a period, with an error text that has no passwords. */
record MaskedOnce(
        String name,
        Optional<LeaseInfo> running,
        String holder,
        Optional<Instant> lastSuccess,
        Optional<Instant> lastFailure,
        String error,
        long failures,
        Optional<Instant> retryAt,
        Optional<Duration> lastDuration)
        implements OnceInfo {

    MaskedOnce {
        error = Format.masked(error);
    }

    static List<OnceInfo> all(List<OnceInfo> onces) {
        return onces.stream().map(MaskedOnce::of).toList();
    }

    private static OnceInfo of(OnceInfo once) {
        return new MaskedOnce(
                once.name(),
                once.running(),
                once.holder(),
                once.lastSuccess(),
                once.lastFailure(),
                once.error(),
                once.failures(),
                once.retryAt(),
                once.lastDuration());
    }
}
