package dev.dibs.runs;

import java.time.Instant;
import java.util.Optional;

/**
 * A worker of a run, for people to read.
 *
 * @param worker its label, with the number of its thread
 * @param startedAt when it began
 * @param seenAt when it last reported that it is alive
 * @param alive whether it has not ended and has reported lately
 * @param done how many rows it has completed
 * @param failed how many of its attempts failed
 * @param rowsPerSecond its recent speed
 * @param currentRow the key of its current row, as far as it is known
 * @param error why it had to end, if it did: the database refuses its statements, or an error occurred
 */
public record RunWorkerInfo(
        String worker,
        Instant startedAt,
        Instant seenAt,
        boolean alive,
        long done,
        long failed,
        double rowsPerSecond,
        Optional<String> currentRow,
        Optional<String> error) {}
