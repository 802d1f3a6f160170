package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.LockInfo;
import dev.dibs.contract.HolderMain;
import dev.dibs.contract.IndexedRowContract;
import dev.dibs.fault.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The contracts on H2. */
@UsesDatabase(H2Database.class)
class H2Test extends DibsContract implements IndexedRowContract {

    /** An H2 that is embedded dies with the process that hosts it; so here the host is a process that can be killed. */
    @Override
    @Test
    public void overARestartOfTheDatabase() throws Exception {
        Path file = Workspace.fresh("h2-restart").resolve("dibs");
        String url = "jdbc:h2:file:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
        String name = fresh("restart");
        long fence;
        try (HikariDataSource dataSource = new HikariDataSource()) {
            dataSource.setJdbcUrl(url);
            try (Dibs dibs = Dibs.on(dataSource)) {
                dibs.createSchema();
            }
        }
        try (ChildJvm host = ChildJvm.start(HolderMain.class, url, "", "", name, "60000")) {
            String held = host.awaitLine(line -> line.startsWith("HELD"), Duration.ofSeconds(60));
            fence = Long.parseLong(held.substring("HELD ".length()));
            host.kill();
            host.exitCode(Duration.ofSeconds(10));
        }
        try (HikariDataSource dataSource = new HikariDataSource()) {
            dataSource.setJdbcUrl(url);
            try (Dibs dibs = Dibs.on(dataSource)) {
                assertThat(dibs.lock(name).tryAcquire())
                        .as("an acknowledged grant survives a crash")
                        .isEmpty();
                assertThat(dibs.breakLock(name).map(LockInfo::fence)).contains(fence);
                assertThat(dibs.lock(name).tryAcquire().orElseThrow().fence()).isGreaterThan(fence);
            }
        }
    }

    @Override
    public String newUser(String name) {
        return "CREATE USER " + name + " PASSWORD ''";
    }

    /** A slot that is new takes a second one. */
    @Override
    public int[] priceOfPermit() {
        return new int[] {1, 2, 1};
    }

    @Override
    public Predicate<String> commitsClaim() {
        return COMMIT;
    }

    @Override
    public Predicate<String> commitsTurn() {
        return COMMIT;
    }

    @Override
    public int rolledBackInARace() {
        return 10;
    }

    @Override
    public int[] priceOfReadAndWrite() {
        return new int[] {2, 1, 2};
    }

    @Override
    public String endsWaits() {
        return "SET LOCK_TIMEOUT 300";
    }

    /** One by one is quicker here, but there is a statement. */
    @Override
    public DibsBuilder together(DibsBuilder builder) {
        try {
            Path folder = Workspace.fresh("h2-together");
            Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\nh2\n");
            Files.writeString(folder.resolve("tokens.sql"), "-- fragment: token_many\ntransaction\n");
            Files.writeString(folder.resolve("claims.sql"), "-- fragment: rows_many\ntransaction\n");
            return builder.dialect(Dialect.at(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Predicate<String> lastStepForMany() {
        return "COMMIT"::equals;
    }
}
