package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page on performance is written by hand, and its figures by the bench. */
@Tag("unit")
class PerformancePageTest {

    @Test
    void headlinesAreRowsOfTheTables() {
        List<String> page = Sources.lines(Path.of("docs/lab/performance.md"));
        List<String> headlines = page.subList(page.indexOf("## Headlines"), page.indexOf("## Locks")).stream()
                .filter(line -> line.startsWith("| "))
                .toList();
        assertThat(headlines).hasSizeGreaterThan(5);
        assertThat(Sources.lines(Path.of("docs/lab/performance-tables.md"))).containsAll(headlines);
    }
}
