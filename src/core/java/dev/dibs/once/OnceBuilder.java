package dev.dibs.once;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;

/**
 * Says how often something is to be done: {@code dibs.once("best-sellers").every(Duration.ofDays(30))}.
 *
 * <p>Made by {@link Dibs#once}. Immutable: the methods that set something return another instance; use that one. Cheap, and safe for use
 * by any thread.
 */
public interface OnceBuilder {

    /**
     * How long after its last renewal one who does it and vanishes keeps others from doing it. Default: that of the {@link Dibs}.
     *
     * @param lease from 100 milliseconds to one day
     * @throws IllegalArgumentException if it is out of these bounds
     */
    OnceBuilder lease(Duration lease);

    /**
     * How long it is left alone after a failure: twice as long after each further one, and never longer than its period. Default: 10
     * seconds, up to one hour.
     *
     * @param first after the first failure in a row; zero for not at all
     * @param longest at most
     * @throws IllegalArgumentException if one is negative or longer than 36,500 days, or {@code longest} is the shorter one
     */
    OnceBuilder backoff(Duration first, Duration longest);

    /**
     * Due so long after the last success, by the database's clock; and if it was never done.
     *
     * @param period from 100 milliseconds to 36,500 days
     * @throws IllegalArgumentException if it is out of these bounds
     */
    Once every(Duration period);

    /** Due if it was never done. */
    Once ever();

    /** Due if it was not done on this day in this zone. */
    Once daily(ZoneId zone);

    /** Due from that time of each day on, in this zone; and if it was never done. */
    Once daily(LocalTime time, ZoneId zone);

    /**
     * Due at the times of a cron expression, in this zone; and if it was never done. One that was missed is due until it is made up for,
     * once. This needs {@code com.cronutils:cron-utils} among the application's dependencies.
     *
     * @param text minute, hour, day of month, month, day of week, as in {@code 30 4 * * MON-FRI}
     * @throws IllegalArgumentException if it is no such expression
     * @throws DibsException if cron-utils is not there
     */
    Once cron(String text, ZoneId zone);

    /**
     * Forgets when it was last done, and that it failed: it is due for whoever asks next, whatever the schedule. An instance in another
     * process that has been told lately that it is not due asks again after five minutes at the latest.
     *
     * @return false if there is nothing to forget: nobody has ever done it, or somebody is at it now
     * @throws DibsException if the database cannot be asked
     */
    boolean forget();
}
