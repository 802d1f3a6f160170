package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The doctor's findings about the way in which an H2 is opened. */
@Tag("process")
class H2FileTest {

    @TempDir
    private Path folder;

    private static List<String> warnings(String url) {
        try (Dibs dibs = Dibs.on(new DriverDataSource(url, "sa", ""))) {
            return dibs.admin().doctor().stream()
                    .filter(finding -> finding.level() == Finding.Level.WARNING)
                    .map(Finding::subject)
                    .toList();
        }
    }

    @Test
    void theDoctorWarnsOfAFileThatAnInterruptCloses() {
        String file = folder.resolve("app") + ";WRITE_DELAY=0";
        assertThat(warnings("jdbc:h2:" + file)).containsExactly("interrupts");
        assertThat(warnings("jdbc:h2:async:" + file)).isEmpty();
        assertThat(warnings("jdbc:h2:mem:;WRITE_DELAY=0")).isEmpty();
    }
}
