package dev.dibs.cli.once;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How often something is done. */
final class PeriodOptions {

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "So long after the last success, as in 10m, 24h, 30d.")
    private @Nullable Duration every;

    @Option(names = "--daily", description = "Once a day, from --at on.")
    private boolean daily;

    @Option(
            names = "--monthly",
            paramLabel = "DAY",
            description = "Once a month, from this day on, 1 to 31; 31 is always the last day.")
    private @Nullable Integer monthly;

    @Option(
            names = "--cron",
            paramLabel = "TEXT",
            description = "At these times: minute, hour, day of month, month, day of week, as in '30 4 * * MON-FRI'.")
    private @Nullable String cron;

    @Option(
            names = "--at",
            paramLabel = "HH:MM",
            description = "With --daily or --monthly: the time of day. Default: 00:00")
    private @Nullable LocalTime at;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "With --daily, --monthly or --cron: the time zone, as in Europe/Berlin. Default: UTC")
    private @Nullable ZoneId zone;

    /** Whether one of the periods is given. */
    boolean given() {
        return count() > 0;
    }

    private long count() {
        return Stream.of(every != null, daily, monthly != null, cron != null)
                .filter(given -> given)
                .count();
    }

    /** The work with its period. */
    Once of(OnceBuilder builder) {
        if (count() != 1) {
            throw new UsageError("give one of --every, --daily, --monthly and --cron");
        }
        if (at != null && !daily && monthly == null) {
            throw new UsageError("--at is for --daily and --monthly");
        }
        if (zone != null && every != null) {
            throw new UsageError("--zone is for --daily, --monthly and --cron");
        }
        LocalTime time = at == null ? LocalTime.MIDNIGHT : at;
        ZoneId where = zone == null ? ZoneOffset.UTC : zone;
        if (every != null) {
            return builder.every(every);
        }
        if (monthly != null) {
            return builder.monthly(monthly, time, where);
        }
        return cron == null ? builder.daily(time, where) : builder.cron(cron, where);
    }
}
