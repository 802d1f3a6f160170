package dev.dibs.contract.support;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.Finding;
import dev.dibs.claims.RowKey;
import dev.dibs.junit.Closing;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What many contracts assert, and the keys that they expect. */
public abstract class Expectations extends Closing {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** The keys of rows with these numbers. */
    public static List<RowKey> keys(long... numbers) {
        return LongStream.of(numbers).mapToObj(RowKey::of).toList();
    }

    /** Asserts that the call ends with the failure of a statement, and that its message has these parts. */
    public static void assertFails(ThrowingCallable call, String... parts) {
        assertParts(assertThatThrownBy(call).isInstanceOf(DatabaseFailureException.class), parts);
    }

    /** Asserts that the call refuses an argument, and that the message has these parts. */
    public static void assertRejected(ThrowingCallable call, String... parts) {
        assertParts(assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class), parts);
    }

    /** Asserts that Dibs itself refuses the call, and that the message has these parts. */
    public static void assertRefused(ThrowingCallable call, String... parts) {
        assertParts(assertThatThrownBy(call).isExactlyInstanceOf(DibsException.class), parts);
    }

    /** As work that fails in some cases. */
    public static void failIf(boolean fails) {
        if (fails) {
            throw new IllegalStateException("bad");
        }
    }

    private static void assertParts(AbstractThrowableAssert<?, ?> thrown, String... parts) {
        for (String part : parts) {
            thrown.hasMessageContaining(part);
        }
    }

    /** Starts the workers, and asserts how they end. */
    public static RunWorkers<?> assertEnds(RunWorkers.End end, RunWorkers<?> workers) throws InterruptedException {
        assertThat(workers.start().await(PATIENCE)).as("they end").isTrue();
        assertThat(workers.await()).as("%s", workers.failure()).isEqualTo(end);
        return workers;
    }

    /** Asserts how many rows a run has done, and how many attempts have failed. */
    public static void assertCounts(Run run, long done, long failed) {
        RunStatus status = run.status().orElseThrow();
        assertThat(status.done()).as("done").isEqualTo(done);
        assertThat(status.failed()).as("failed").isEqualTo(failed);
    }

    /** What the doctor says of a subject. */
    public static Finding finding(List<Finding> findings, String subject) {
        return findings.stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow(() -> new AssertionError(subject + " is not among " + findings));
    }

    /** Asserts what the doctor says of a subject; the parts are in the message or the remedy. */
    public static void assertLevel(Finding.Level level, List<Finding> findings, String subject, String... parts) {
        Finding found = finding(findings, subject);
        assertThat(found.level()).as("%s", found).isEqualTo(level);
        for (String part : parts) {
            assertThat(found.message() + found.remedy()).contains(part);
        }
    }
}
