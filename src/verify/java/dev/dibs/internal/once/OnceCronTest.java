package dev.dibs.internal.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.once.OnceSchedule.Daily;
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
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
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
    void cronHasFiveFields() {
        OnceSchedule weekdays = OnceCron.parse("30 4 * * MON-FRI", ZoneOffset.UTC);
        assertThat(due(weekdays, "2024-01-12T04:30:00Z")).isEqualTo("2024-01-15T04:30:00Z");
        assertThat(weekdays).isEqualTo(OnceCron.parse("30 4 * * MON-FRI", ZoneOffset.UTC));
        assertThat(weekdays).isNotEqualTo(OnceCron.parse("31 4 * * MON-FRI", ZoneOffset.UTC));
        assertThatThrownBy(() -> OnceCron.parse("61 4 * * *", ZoneOffset.UTC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("61 4 * * *");
    }

    @Test
    void withoutTheLibraryItIsSaidWhatIsMissing() throws Exception {
        try (URLClassLoader without = new URLClassLoader(classPathWithoutCron(), null)) {
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
            return new OnceContext(null, null, null, null, null, new ConcurrentHashMap<>())
                    .cron("0 0 * * *", ZoneOffset.UTC);
        }
    }
}
