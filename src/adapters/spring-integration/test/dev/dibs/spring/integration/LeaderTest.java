package dev.dibs.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.junit.Closing;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spring Integration's leader in two processes. */
@OnEachDatabase(PostgresDatabase.class)
@FullRun
@Tag("process")
class LeaderTest extends Closing implements DatabaseUser {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Too long to end during a test. */
    private static final String LONG = "PT5M";

    private final String role = "role-" + UUID.randomUUID();
    private TestDatabase database;
    private DataSource pool;

    @Override
    public void use(TestDatabase given) {
        database = given;
        pool = given.shared();
    }

    /** With a lease of this length. */
    private ChildJvm candidate(String lease) throws InterruptedException {
        ChildJvm candidate =
                ChildJvm.start(InitiatorMain.class, database.url(), database.user(), database.password(), role, lease);
        candidate.awaitLine("READY"::equals, PATIENCE);
        return candidate;
    }

    private static long granted(ChildJvm candidate) throws InterruptedException {
        return Long.parseLong(candidate
                .awaitLine(line -> line.startsWith("GRANTED "), PATIENCE)
                .substring("GRANTED ".length()));
    }

    @Test
    void aCandidateWaitsUntilTheLeaderStops() throws Exception {
        ChildJvm first = closing(candidate(LONG));
        long fence = granted(first);
        ChildJvm second = closing(candidate(LONG));
        Dibs dibs = closing(Dibs.on(pool));
        Thread.sleep(500);
        assertThat(second.lines()).noneMatch(line -> line.startsWith("GRANTED"));
        first.send("stop");
        first.awaitLine("REVOKED"::equals, PATIENCE);

        assertThat(granted(second)).isGreaterThan(fence);
        assertThat(dibs.lock("leaders", role).tryAcquire()).isEmpty();
        second.send("stop");
        second.awaitLine("REVOKED"::equals, PATIENCE);
        dibs.lock("leaders", role).acquire(PATIENCE).close();
    }

    @Test
    void anotherLeadsWhenTheLeaderIsKilled() throws Exception {
        ChildJvm first = closing(candidate("PT3S"));
        long fence = granted(first);
        ChildJvm second = closing(candidate(LONG));
        first.kill();
        assertThat(granted(second)).isGreaterThan(fence);
    }
}
