package dev.dibs.fault.worker;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.fault.history.HistoryWriter;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** After all workers have ended: processes the remaining rows, so that none was forgotten if each was done once. */
public final class LastPass {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int BATCH = 500;

    private LastPass() {}

    /** Processes the ranges, and returns how many rows the run has counted. */
    public static Map<String, Long> over(Dibs dibs, HistoryWriter history) {
        RowClaims<RowKey> ranges = Jobs.of(dibs).ranges();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (ranges.count() > 0) {
            if (System.nanoTime() > end) {
                throw new AssertionError(ranges.count() + " rows are left, and nobody gets them");
            }
            complete(ranges, history);
        }
        return dibs.run(Workload.RUN)
                .status()
                .map(status -> Map.of(Tables.RUN_JOB, status.done()))
                .orElse(Map.of());
    }

    private static void complete(RowClaims<RowKey> ranges, HistoryWriter history) {
        Entry asked = history.next(0, OperationKind.CLAIM, Tables.PASS_JOB).invoke();
        try (Claim<RowKey> claim = ranges.claim(BATCH)) {
            asked.value(targets(claim.keys())).end(OperationState.OK);
            if (claim.isEmpty()) {
                WorkerContext.sleep(Duration.ofMillis(50));
                return;
            }
            Entry complete = history.next(0, OperationKind.COMPLETE, Tables.PASS_JOB)
                    .claim(asked.op())
                    .value(targets(claim.keys()))
                    .invoke();
            complete.value(targets(claim.complete().done())).end(OperationState.OK);
        }
    }

    private static String targets(List<RowKey> keys) {
        return keys.stream()
                .map(key -> Tables.target(Tables.PASS_JOB, key.asLong()))
                .collect(Collectors.joining(" "));
    }
}
