package dev.dibs.internal.once;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;

/** A cron expression, in a zone. Only this class needs cron-utils. */
final class OnceCron implements OnceSchedule {

    private final String text;
    private final ZoneId zone;
    private final ExecutionTime times;

    private OnceCron(String text, ZoneId zone) {
        this.text = text;
        this.zone = zone;
        this.times = ExecutionTime.forCron(
                new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX)).parse(text));
    }

    /** Parses it. */
    static OnceSchedule parse(String text, ZoneId zone) {
        try {
            return new OnceCron(text, zone);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is no cron expression of five fields (minute, hour, day of month, month, day of week): "
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public long dueAfter(long succeededAt) {
        return times.nextExecution(Instant.ofEpochMilli(succeededAt).atZone(zone))
                .map(next -> next.toInstant().toEpochMilli())
                .orElse(NEVER);
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
