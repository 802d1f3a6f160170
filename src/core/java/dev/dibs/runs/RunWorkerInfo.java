package dev.dibs.runs;

import java.time.Instant;
import java.util.Optional;

/**
 * A worker of a run, for people to read.
 *
 * @param worker its label: who it is, and which of its threads
 * @param startedAt when it began
 * @param seenAt when it last said that it is alive
 * @param alive whether it has not ended, and has been seen lately
 * @param done how many rows it has completed
 * @param failed how many of its attempts failed
 * @param rowsPerSecond how fast it was lately
 * @param inHand the key of the row that it works on, as far as it is known
 * @param error why it ended, if it could not go on: the database refuses what it asks, or it ran into an error
 */
public record RunWorkerInfo(
        String worker,
        Instant startedAt,
        Instant seenAt,
        boolean alive,
        long done,
        long failed,
        double rowsPerSecond,
        Optional<String> inHand,
        Optional<String> error) {}
