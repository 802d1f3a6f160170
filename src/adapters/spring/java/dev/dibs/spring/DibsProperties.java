package dev.dibs.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code dibs.*}. All but the last three are named as the methods of {@code DibsBuilder}, whose defaults and limits apply.
 *
 * @param leaseLength how long a holder that vanishes keeps its lock. 30 seconds by default; from 100 milliseconds to one day
 * @param tablePrefix the beginning of the tables' names. dibs_ by default
 * @param schema the database schema that the tables are in. By default that of the connection
 * @param dialect the name of the dialect. By default it is found by the product that the database reports
 * @param holder the label that is stored with each lock, for people. By default the host's name and the process's number
 * @param tables whether the tables are created or checked at the start
 * @param busyStatus the HTTP status of a request that finds its lock busy, such as 409 or 503, with a problem detail. By default the
 *     application handles the exception itself
 * @param metrics for applications that have Micrometer
 */
@ConfigurationProperties("dibs")
record DibsProperties(
        @Nullable Duration leaseLength,
        @Nullable String tablePrefix,
        @Nullable String schema,
        @Nullable String dialect,
        @Nullable String holder,
        @DefaultValue("check") Tables tables,
        @Nullable Integer busyStatus,
        @DefaultValue Metrics metrics) {

    /**
     * The meters.
     *
     * @param locks the names of locks that have a tag of their own, each also for the locks of that kind; all others count as other
     */
    record Metrics(@DefaultValue List<String> locks) {}

    /** What happens to the tables at the start of the application. */
    enum Tables {
        /** Missing tables are created, and then checked. */
        CREATE,
        /** The start fails if tables are missing, or cannot be written. */
        CHECK,
        /** The tables are not looked at. */
        NONE
    }
}
