package dev.dibs.fault.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class HistoryTest {

    @Test
    void writtenEventsAreRead(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("w1");
        long before = System.nanoTime();
        try (HistoryWriter writer = new HistoryWriter(file, "w1.0", (thread, kind, begun) -> {})) {
            HistoryWriter.Entry acquire = writer.next(3, OperationKind.ACQUIRE, "lock \"ä\"\n")
                    .mode(Mode.LOCK)
                    .invoke();
            acquire.lease(7, 2).deadline(99).end(OperationState.OK);
            writer.next(3, OperationKind.COMPLETE, "jobs").value("1 2").invoke();
        }
        History history = History.read(List.of(file));
        assertThat(history.flaws()).isEmpty();
        Operation acquire = history.of(OperationKind.ACQUIRE).findFirst().orElseThrow();
        assertThat(acquire.invoke().thread()).isEqualTo(3);
        assertThat(acquire.begun()).isBetween(before, acquire.ended());
        Hold hold = Hold.of(history).get(0);
        assertThat(hold.name()).isEqualTo("lock \"ä\"\n");
        assertThat(hold.fence()).isEqualTo(7);
        assertThat(hold.slot()).isEqualTo(2);
        assertThat(hold.until()).isEqualTo(99);
        assertThat(history.count(OperationKind.COMPLETE, OperationState.UNKNOWN))
                .isEqualTo(1);
    }

    @Test
    void laterWritersWriteAfterAnInterrupt(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("w1");
        try (HistoryWriter writer = new HistoryWriter(file, "w1.0", (thread, kind, begun) -> {})) {
            Thread.currentThread().interrupt();
            writer.next(1, OperationKind.WRITE, "a").invoke();
            assertThat(Thread.interrupted()).isTrue();
            writer.next(1, OperationKind.WRITE, "b").invoke();
        }
        assertThat(History.read(List.of(file)).count(OperationKind.WRITE, OperationState.UNKNOWN))
                .isEqualTo(2);
    }

    @Test
    void aLineThatWasCutOffTellsNothing(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("w1");
        try (HistoryWriter writer = new HistoryWriter(file, "w1.0", (thread, kind, begun) -> {})) {
            writer.next(1, OperationKind.WRITE, "a").invoke();
        }
        Files.writeString(file, "{\"at\":5,\"op\":\"w1.0", StandardOpenOption.APPEND);
        History history = History.read(List.of(file));
        assertThat(history.flaws()).isEmpty();
        assertThat(history.count(OperationKind.WRITE, OperationState.UNKNOWN)).isEqualTo(1);
    }
}
