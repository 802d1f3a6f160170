package dev.dibs.internal.once;

import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;

/** Builds work that is done once a period; its schedule comes last. */
record OnceSpec(OnceContext context, String name, Duration lease, Duration firstPause, Duration longestPause)
        implements OnceBuilder {

    static final Duration SHORTEST_PERIOD = Duration.ofMillis(100);
    static final Duration LONGEST_PERIOD = Arguments.LONGEST;

    OnceSpec(OnceContext context, String name, Duration lease) {
        this(context, name, lease, Duration.ofSeconds(10), Duration.ofHours(1));
    }

    @Override
    public OnceBuilder leaseLength(Duration lease) {
        return new OnceSpec(context, name, Term.checkLease(lease), firstPause, longestPause);
    }

    @Override
    public OnceBuilder backoff(Duration first, Duration longest) {
        Arguments.within("longest back-off", longest, Duration.ZERO, LONGEST_PERIOD);
        Arguments.within("first back-off", first, Duration.ZERO, longest);
        return new OnceSpec(context, name, lease, first, longest);
    }

    @Override
    public Once every(Duration period) {
        Arguments.within("period", period, SHORTEST_PERIOD, LONGEST_PERIOD);
        return by(new OnceSchedule.Every(period.toMillis()));
    }

    @Override
    public Once ever() {
        return by(new OnceSchedule.Every(OnceSchedule.NEVER));
    }

    @Override
    public Once daily(ZoneId zone) {
        return daily(LocalTime.MIDNIGHT, zone);
    }

    @Override
    public Once daily(LocalTime time, ZoneId zone) {
        return by(new OnceSchedule.Daily(Arguments.required("time", time), Arguments.required("zone", zone)));
    }

    @Override
    public Once monthly(int day, LocalTime time, ZoneId zone) {
        if (day < 1 || day > 31) {
            throw new IllegalArgumentException(
                    "day " + day + " of a month is out of bounds; it must be between 1 and 31");
        }
        return by(new OnceSchedule.Monthly(day, Arguments.required("time", time), Arguments.required("zone", zone)));
    }

    @Override
    public Once cron(String text, ZoneId zone) {
        return by(context.cron(Arguments.required("text", text), Arguments.required("zone", zone)));
    }

    @Override
    public boolean forget() {
        return context.forget(name);
    }

    private Once by(OnceSchedule schedule) {
        return new DatabaseOnce(this, schedule);
    }

    @Override
    public String toString() {
        return "OnceBuilder[" + Strings.escape(name) + "]";
    }
}
