package dev.dibs.contract.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What was stored while the database's clock was far ahead is found, and the remedy mends it. */
@Tag("contract")
class TimesAheadContract extends Fixture {

    private static final long YEAR = Duration.ofDays(365).toMillis();

    @Test
    void workThatWasDoneInTheFutureIsFoundAndCanBeForgotten() throws Exception {
        String prefix = prefix();
        try (Dibs dibs = builder(pool()).tablePrefix(prefix).build()) {
            dibs.admin().createSchema(Capability.ONCE, Capability.LOCKS);
            dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {});
            assertThat(ahead(dibs)).isEmpty();
            sql().run("UPDATE " + prefix + "once SET succeeded_at = succeeded_at + " + YEAR);
            assertThat(dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {}))
                    .isEqualTo(OnceOutcome.NOT_DUE);
            assertThat(ahead(dibs)).singleElement().satisfies(finding -> {
                assertThat(finding.level()).isEqualTo(Level.WARNING);
                assertThat(finding.message()).contains(": nightly: work that is done once a period");
                assertThat(finding.remedy()).contains("dibs once NAME --forget");
            });
            dibs.once("nightly").forget();
            assertThat(ahead(dibs)).isEmpty();
            assertThat(dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {}))
                    .isEqualTo(OnceOutcome.RAN);
        } finally {
            sql().run("DROP TABLE " + prefix + "once");
            sql().run("DROP TABLE " + prefix + "lock");
        }
    }

    @Test
    void aLeaseOfTheFutureIsFoundAndCanBeBroken() throws Exception {
        String prefix = prefix();
        try (Dibs dead = builder(pool()).tablePrefix(prefix).build();
                Dibs dibs = builder(pool()).tablePrefix(prefix).build()) {
            dibs.admin().createSchema(Capability.LOCKS);
            Lease lease = dead.lock("job").tryAcquire().orElseThrow();
            assertThat(ahead(dibs)).isEmpty();
            sql().run("UPDATE " + prefix + "lock SET acquired_at = acquired_at + " + YEAR
                    + ", held_until = held_until + " + YEAR);
            assertThat(ahead(dibs))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.message()).contains(": job: held"));
            dibs.admin().breakLock("job");
            assertThat(ahead(dibs)).isEmpty();
            dibs.lock("job").tryAcquire().orElseThrow().close();
            lease.close();
        } finally {
            sql().run("DROP TABLE " + prefix + "lock");
        }
    }

    private static List<Finding> ahead(Dibs dibs) {
        return dibs.admin().doctor().stream()
                .filter(finding -> finding.subject().equals("times ahead"))
                .toList();
    }
}
