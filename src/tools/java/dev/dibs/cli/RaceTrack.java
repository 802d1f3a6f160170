package dev.dibs.cli;

import dev.dibs.DatabaseFailureException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several threads that do the same at the same instant, again and again. For one thread. */
final class RaceTrack implements AutoCloseable {

    private final int racers;
    private final ExecutorService threads;
    private final CyclicBarrier start;

    RaceTrack(int racers) {
        this.racers = racers;
        this.start = new CyclicBarrier(racers);
        this.threads = Executors.newFixedThreadPool(racers, work -> {
            Thread thread = new Thread(work, "dibs-race");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** One racer's attempt. */
    interface Attempt {
        /**
         * Tries it, and returns whether it was the first.
         *
         * @param racer its number, from 0
         */
        boolean isFirst(int racer) throws SQLException;
    }

    int racers() {
        return racers;
    }

    /** Starts the racers and returns how many report that they were the first. */
    int winners(Attempt attempt) throws SQLException, InterruptedException {
        List<Future<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < racers; i++) {
            int racer = i;
            answers.add(threads.submit(() -> {
                await();
                return attempt.isFirst(racer);
            }));
        }
        int winners = 0;
        Throwable failure = null;
        for (Future<Boolean> answer : answers) {
            // Waits for all: a racer that still runs uses its connection.
            try {
                winners += answer.get() ? 1 : 0;
            } catch (ExecutionException e) {
                failure = e.getCause();
            }
        }
        if (failure instanceof SQLException broken) {
            throw broken;
        }
        if (failure != null) {
            throw new DatabaseFailureException(String.valueOf(failure.getMessage()), failure);
        }
        return winners;
    }

    private void await() throws InterruptedException {
        try {
            start.await();
        } catch (BrokenBarrierException e) {
            throw new IllegalStateException("a racer was interrupted", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
