package dev.dibs.internal.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.once.OnceSchedule.Daily;
import dev.dibs.internal.once.OnceSchedule.Monthly;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calendars: when work is due again after a success. */
@Tag("unit")
class OnceCronTest {

    private static String due(OnceSchedule schedule, String succeeded) {
        return Instant.ofEpochMilli(schedule.dueAfter(Instant.parse(succeeded).toEpochMilli()))
                .toString();
    }

    @Test
    void aDayBeginsInItsZone() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        assertThat(due(new Daily(LocalTime.MIDNIGHT, berlin), "2024-01-10T22:59:59Z"))
                .isEqualTo("2024-01-10T23:00:00Z");
        assertThat(due(new Daily(LocalTime.MIDNIGHT, berlin), "2024-01-10T23:00:00Z"))
                .isEqualTo("2024-01-11T23:00:00Z");
        assertThat(due(new Daily(LocalTime.of(4, 30), berlin), "2024-01-10T02:00:00Z"))
                .isEqualTo("2024-01-10T03:30:00Z");
        assertThat(due(new Daily(LocalTime.of(2, 30), berlin), "2024-03-30T12:00:00Z"))
                .as("the clocks are put forward from two to three")
                .isEqualTo("2024-03-31T01:30:00Z");
    }

    @Test
    void aShortMonthEndsOnItsLastDay() {
        assertThat(times(
                        new Monthly(31, LocalTime.of(6, 0), ZoneOffset.UTC),
                        "2024-01-15T00:00:00Z",
                        "2024-05-31T06:00:00Z"))
                .containsExactly("01-31 06:00 Z", "02-29 06:00 Z", "03-31 06:00 Z", "04-30 06:00 Z");
        assertThat(times(
                        new Monthly(29, LocalTime.MIDNIGHT, ZoneOffset.UTC),
                        "2025-12-29T00:00:00Z",
                        "2026-03-29T00:00:00Z"))
                .as("the start itself does not count")
                .containsExactly("01-29 00:00 Z", "02-28 00:00 Z");
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        assertThat(times(new Monthly(1, LocalTime.MIDNIGHT, berlin), "2026-02-28T22:59:59Z", "2026-04-01T00:00:00Z"))
                .as("the month begins in its zone")
                .containsExactly("03-01 00:00 +01:00", "04-01 00:00 +02:00");
    }

    @Test
    void aMonthlyTimeFollowsTheClocks() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        LocalTime halfPastTwo = LocalTime.of(2, 30);
        assertThat(times(new Monthly(29, halfPastTwo, berlin), "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z"))
                .as("the clocks leave it out in spring")
                .containsExactly("03-29 03:30 +02:00", "04-29 02:30 +02:00");
        assertThat(times(new Monthly(25, halfPastTwo, berlin), "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"))
                .as("it comes twice in autumn")
                .containsExactly("10-25 02:30 +02:00", "11-25 02:30 +01:00");
        assertThat(due(new Monthly(31, LocalTime.of(8, 0), ZoneId.of("Pacific/Kiritimati")), "1994-12-31T15:00:00Z"))
                .as("the last day of 1994 was left out, and the new year has begun")
                .isEqualTo("1994-12-31T18:00:00Z");
    }

    @Test
    void cronHasFiveFields() {
        OnceSchedule weekdays = OnceCron.parse("30 4 * * MON-FRI", ZoneOffset.UTC);
        assertThat(due(weekdays, "2024-01-12T04:30:00Z")).isEqualTo("2024-01-15T04:30:00Z");
        assertThat(weekdays).isEqualTo(OnceCron.parse("30 4 * * MON-FRI", ZoneOffset.UTC));
        assertThat(weekdays).isNotEqualTo(OnceCron.parse("31 4 * * MON-FRI", ZoneOffset.UTC));
        assertThatThrownBy(() -> OnceCron.parse("61 4 * * *", ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("61 4 * * *");
    }

    /** All times in a span, each with its offset. */
    private static List<String> times(String cron, String zone, String from, String to) {
        return times(OnceCron.parse(cron, ZoneId.of(zone)), ZoneId.of(zone), from, to, "dd HH:mm XXX");
    }

    private static List<String> times(Monthly monthly, String from, String to) {
        return times(monthly, monthly.zone(), from, to, "MM-dd HH:mm XXX");
    }

    private static List<String> times(OnceSchedule schedule, ZoneId zone, String from, String to, String pattern) {
        List<String> times = new ArrayList<>();
        long end = Instant.parse(to).toEpochMilli();
        for (long at = schedule.dueAfter(Instant.parse(from).toEpochMilli()); at < end; at = schedule.dueAfter(at)) {
            times.add(Instant.ofEpochMilli(at).atZone(zone).format(DateTimeFormatter.ofPattern(pattern)));
        }
        return times;
    }

    @Test
    void aTimeThatTheClocksLeaveOutComesLater() {
        assertThat(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-30T12:00:00Z"))
                .containsExactly("28 02:30 +01:00", "29 03:30 +02:00", "30 02:30 +02:00");
        assertThat(times("0,30 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z"))
                .as("two of the four are the same")
                .containsExactly("29 03:00 +02:00", "29 03:30 +02:00");
        assertThat(times("0 0 * * *", "Africa/Cairo", "2026-04-23T00:00:00Z", "2026-04-25T12:00:00Z"))
                .containsExactly("24 01:00 +03:00", "25 00:00 +03:00");
        assertThat(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z"))
                .containsExactly("04 02:45 +11:00", "05 02:15 +11:00");
        assertThat(times("0 8 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z"))
                .as("a whole day is left out")
                .containsExactly("29 08:00 -10:00", "31 08:00 +14:00", "01 08:00 +14:00");
    }

    @Test
    void aTimeThatComesTwiceCountsOnce() {
        assertThat(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"))
                .containsExactly("25 02:30 +02:00", "26 02:30 +01:00");
        assertThat(times("30 23 * * *", "Africa/Cairo", "2026-10-28T22:00:00Z", "2026-10-30T12:00:00Z"))
                .containsExactly("29 23:30 +03:00");
        assertThat(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", "2026-04-05T20:00:00Z"))
                .containsExactly("05 01:45 +11:00", "06 01:45 +10:30");
    }

    @Test
    void eachHourOfALongOrAShortDayComesOnce() {
        assertThat(times("0 * * * *", "Europe/Berlin", "2026-03-28T22:59:00Z", "2026-03-29T22:00:00Z"))
                .hasSize(23)
                .doesNotHaveDuplicates();
        for (String hours : List.of("*", "0-23", "*/1", "0-11,12-23")) {
            assertThat(times("0 " + hours + " * * *", "Europe/Berlin", "2026-10-24T21:59:00Z", "2026-10-25T23:00:00Z"))
                    .as(hours)
                    .hasSize(25)
                    .contains("25 02:00 +02:00", "25 02:00 +01:00");
        }
    }

    @Test
    void aDateThatNeverComesIsRefused() {
        assertThatThrownBy(() -> OnceCron.parse("0 4 30 2 *", ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("never due");
        assertThat(OnceCron.parse("0 4 29 2 *", ZoneOffset.UTC)).isNotNull();
    }

    @Test
    void aMissingLibraryIsNamed() throws Exception {
        try (URLClassLoader without =
                new URLClassLoader(classPathWithoutCron(), ClassLoader.getPlatformClassLoader())) {
            Method ask = without.loadClass(Asker.class.getName()).getDeclaredMethod("ask");
            ask.setAccessible(true);
            assertThatThrownBy(() -> ask.invoke(null))
                    .isInstanceOf(InvocationTargetException.class)
                    .satisfies(e ->
                            assertThat(e.getCause().getClass().getSimpleName()).isEqualTo("DibsException"))
                    .satisfies(e -> assertThat(e.getCause()).hasMessageContaining("com.cronutils:cron-utils"));
        }
    }

    private static URL[] classPathWithoutCron() throws MalformedURLException {
        List<String> parts = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
        assertThat(parts).anyMatch(part -> part.contains("cron-utils"));
        List<String> rest =
                parts.stream().filter(part -> !part.contains("cron-utils")).toList();
        URL[] urls = new URL[rest.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Path.of(rest.get(i)).toUri().toURL();
        }
        return urls;
    }

    /** Runs in a class loader that does not have the library. */
    static final class Asker {
        private Asker() {}

        static OnceSchedule ask() {
            return OnceContext.parse("0 0 * * *", ZoneOffset.UTC);
        }
    }
}
