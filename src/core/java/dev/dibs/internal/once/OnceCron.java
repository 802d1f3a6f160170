package dev.dibs.internal.once;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.Objects;
import java.util.stream.IntStream;

/** A cron expression, in a zone. Only this class needs cron-utils. */
final class OnceCron implements OnceSchedule {

    private static final ZonedDateTime EPOCH = Instant.EPOCH.atZone(ZoneOffset.UTC);

    private final String text;
    private final ZoneId zone;
    private final ExecutionTime times;
    private final boolean everyHour;

    private OnceCron(String text, ZoneId zone) {
        this.text = text;
        this.zone = zone;
        this.times = times(text);
        this.everyHour = isEveryHour(text.strip().split("\\s+", -1)[1]);
    }

    private static ExecutionTime times(String text) {
        return ExecutionTime.forCron(
                new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX)).parse(text));
    }

    /** Also for every second hour, and for all hours in other words. */
    private static boolean isEveryHour(String hours) {
        ExecutionTime inDay = times("0 " + hours + " * * *");
        return hours.startsWith("*") || IntStream.range(0, 24).allMatch(hour -> inDay.isMatch(EPOCH.withHour(hour)));
    }

    static OnceSchedule parse(String text, ZoneId zone) {
        OnceCron cron;
        try {
            cron = new OnceCron(text, zone);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is no cron expression of five fields (minute, hour, day of month, month, day of week): "
                            + e.getMessage(),
                    e);
        }
        if (cron.times.nextExecution(EPOCH).isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' is never due: there is no such date");
        }
        return cron;
    }

    /**
     * The times are local ones. One that the clocks leave out comes as much later as they are put forward, one that comes twice counts the
     * first time. An expression for all hours also counts the hour that comes twice a second time.
     */
    @Override
    public long dueAfter(long last) {
        Instant after = Instant.ofEpochMilli(last);
        long local = nextLocal(after);
        return everyHour ? Math.min(local, nextOf(after.atZone(zone))) : local;
    }

    private long nextOf(ZonedDateTime after) {
        return times.nextExecution(after)
                .map(next -> next.toInstant().toEpochMilli())
                .orElse(NEVER);
    }

    private long nextLocal(Instant after) {
        LocalDateTime time = after.atZone(zone).toLocalDateTime();
        ZoneOffsetTransition before = zone.getRules().previousTransition(after.plusMillis(1));
        if (before != null
                && before.isGap()
                && before.getInstant().plus(before.getDuration()).isAfter(after)) {
            // Times that were left out may still come.
            time = before.getDateTimeBefore().minusMinutes(1);
        }
        while (true) {
            ZonedDateTime next =
                    times.nextExecution(time.atZone(ZoneOffset.UTC)).orElse(null);
            if (next == null) {
                return NEVER;
            }
            time = next.toLocalDateTime();
            Instant due = time.atZone(zone).toInstant();
            if (due.isAfter(after)) {
                return due.toEpochMilli();
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OnceCron cron && cron.text.equals(text) && cron.zone.equals(zone);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text, zone);
    }
}
