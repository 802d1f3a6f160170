package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.HolderMain;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An H2 in a file: the doctor's findings about the way in which it is opened, and the promise about fences over a crash. */
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

    /** An embedded H2 dies with the process that hosts it; so here the host is a process that can be killed. */
    @FullTest
    void locksSurviveARestartOfTheDatabase() throws Exception {
        Path file = Workspace.fresh("h2-restart").resolve("dibs");
        String url = "jdbc:h2:file:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
        String name = "restart";
        long fence;
        try (HikariDataSource dataSource = new HikariDataSource()) {
            dataSource.setJdbcUrl(url);
            try (Dibs dibs = Dibs.on(dataSource)) {
                dibs.admin().createSchema();
            }
        }
        try (ChildJvm host = ChildJvm.start(HolderMain.class, url, "", "", name, "300000")) {
            String held = host.awaitLine(line -> line.startsWith("HELD"), Duration.ofMinutes(3));
            fence = Long.parseLong(held.substring("HELD ".length()));
            host.kill();
            host.exitCode(Duration.ofMinutes(1));
        }
        try (HikariDataSource dataSource = new HikariDataSource()) {
            dataSource.setJdbcUrl(url);
            try (Dibs dibs = Dibs.on(dataSource)) {
                assertThat(dibs.lock(name).tryAcquire())
                        .as("an acknowledged grant survives a crash")
                        .isEmpty();
                assertThat(dibs.admin().breakLock(name).map(LeaseInfo::fencingToken))
                        .contains(fence);
                assertThat(dibs.lock(name).tryAcquire().orElseThrow().fencingToken())
                        .isGreaterThan(fence);
            }
        }
    }
}
