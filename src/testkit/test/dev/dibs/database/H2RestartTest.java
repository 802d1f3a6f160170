package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.HolderMain;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promise about fences over a crash of the database, for H2 in a file. */
@Tag("process")
class H2RestartTest {

    /** An embedded H2 dies with the process that hosts it; so here the host is a process that can be killed. */
    @Test
    @FullRun
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
