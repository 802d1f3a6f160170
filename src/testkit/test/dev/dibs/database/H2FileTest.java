package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import javax.sql.DataSource;
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
        assertThat(warnings("jdbc:h2:mem:interrupts;DB_CLOSE_DELAY=1")).isEmpty();
    }

    @Test
    void theDoctorWarnsOfADatabaseThatEndsWithItsLastConnection() {
        assertThat(warnings("jdbc:h2:mem:ends")).containsExactly("memory");
        assertThat(warnings("jdbc:h2:mem:")).containsExactly("memory");
        assertThat(warnings("jdbc:h2:mem:stays;DB_CLOSE_DELAY=1")).isEmpty();
    }

    /** The first connection fails, so the product is unknown. */
    @Test
    void aFileThatAnotherProcessHasOpenIsNamedAtTheStart() throws Exception {
        Path file = folder.resolve("used");
        DataSource source = new DriverDataSource("jdbc:h2:" + file, "sa", "");
        source.getConnection().close();
        try (FileChannel other = FileChannel.open(Path.of(file + ".mv.db"), StandardOpenOption.WRITE);
                FileLock held = other.lock()) {
            assertThat(held.isValid()).isTrue();
            assertThatThrownBy(() -> Dibs.on(source))
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining(";AUTO_SERVER=TRUE")
                    .hasMessageNotContaining("password");
        }
    }
}
