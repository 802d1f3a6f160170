package dev.dibs.contract.once;

import static org.awaitility.Awaitility.await;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Racers;
import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Once a period, over processes. */
@Tag("race")
class OnceRaceContract extends Fixture {

    private Racers pages(String name, Duration period, int views, int pause, int work) throws InterruptedException {
        return Racers.start(
                database(),
                OncePageMain.class,
                name,
                String.valueOf(period.toMillis()),
                String.valueOf(views),
                String.valueOf(pause),
                String.valueOf(work));
    }

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void neverTwiceAPeriodEvenIfOneIsKilled() throws Exception {
        Duration period = Duration.ofMillis(300);
        Racers pages = closing(pages(fresh("period"), period, inFullRun(4_000, 1_500), 12, 30));
        pages.send("go");
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> firstThatRuns(pages), Optional::isPresent)
                .orElseThrow()
                .kill();
        assertThat(pages.end("VIEWED")).hasSize(Racers.COUNT - 1);
        List<Long> starts = pages.all().stream()
                .flatMap(page -> page.lines().stream())
                .filter(line -> line.startsWith("RUN "))
                .map(line -> Long.parseLong(line.substring("RUN ".length())))
                .sorted()
                .toList();
        assertThat(starts).hasSizeGreaterThan(inFullRun(5, 1));
        for (int i = 1; i < starts.size(); i++) {
            // A fence is the database's clock in microseconds at the start of a run.
            assertThat(starts.get(i) - starts.get(i - 1))
                    .as("from one start to the next")
                    .isGreaterThanOrEqualTo(period.toMillis() * 1_000);
        }
    }

    private static Optional<ChildJvm> firstThatRuns(Racers pages) {
        return pages.all().stream()
                .filter(page -> page.lines().stream().anyMatch(line -> line.startsWith("RUN ")))
                .findFirst();
    }
}
