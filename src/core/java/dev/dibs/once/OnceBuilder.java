package dev.dibs.once;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;

/**
 * Describes how often work is to be done: {@code dibs.once("best-sellers").every(Duration.ofDays(30))}.
 *
 * <p>Made by {@code Dibs.once(..)}. Immutable: the methods that set something return another instance; use that one. Cheap, and safe
 * for use by any thread.
 */
public interface OnceBuilder {

    /**
     * The lease length: a runner that vanishes keeps the others out for this time after its last renewal. Default: that of the
     * {@code Dibs}.
     *
     * @param lease from 100 milliseconds to one day
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    OnceBuilder leaseLength(Duration lease);

    /**
     * The pause after a failure. It doubles after each further failure, and is never longer than the period. Default: 10 seconds,
     * up to one hour.
     *
     * @param first the pause after the first failure in a row; zero for none
     * @param longest the longest pause
     * @throws IllegalArgumentException if one is negative or longer than 36,500 days, or {@code longest} is shorter than {@code
     *     first}
     */
    @CheckReturnValue
    OnceBuilder backoff(Duration first, Duration longest);

    /**
     * Due this long after the last success, by the database's clock; and if it was never done.
     *
     * @param period from 100 milliseconds to 36,500 days
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    Once every(Duration period);

    /** Due if it was never done. */
    @CheckReturnValue
    Once ever();

    /** Due if it was not done on this day in this zone. */
    @CheckReturnValue
    Once daily(ZoneId zone);

    /** Due from this time of each day on, in this zone; and if it was never done. */
    @CheckReturnValue
    Once daily(LocalTime time, ZoneId zone);

    /**
     * Due from this time of one day of each month on, in this zone; and if it was never done. In a month without that day it is due
     * on the last day, so day 31 is always the last one. After missed months it stays due until it was done once.
     *
     * <p>If a clock change skips the local time, the run moves by the length of the gap; if the time occurs twice, the first one
     * counts.
     *
     * @param day the day of the month, from 1 to 31
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    Once monthly(int day, LocalTime time, ZoneId zone);

    /**
     * Due at the times of a cron expression, in this zone; and if it was never done. After missed times it stays due until it was
     * done once. This needs {@code com.cronutils:cron-utils} among the application's dependencies.
     *
     * @param text minute, hour, day of month, month, day of week, as in {@code 30 4 * * MON-FRI}
     * @throws IllegalArgumentException if the text is no such expression
     * @throws DibsException if cron-utils is missing
     */
    @CheckReturnValue
    Once cron(String text, ZoneId zone);

    /**
     * Forgets the last success and the failures. The work is then due for the next caller, whatever the schedule. An instance in
     * another process may remember that it is not due, for five minutes at most.
     *
     * @return false if nothing was forgotten: the work was never done, or a process is doing it now
     * @throws DatabaseFailureException if the request to the database fails
     */
    boolean forget();
}
