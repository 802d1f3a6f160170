package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.LeaseLostException;
import java.sql.SQLException;
import java.time.Duration;

/** The loop of one thread: task after task, until it is ended. */
final class Toil implements Runnable {
    private static final Duration BREATH = Duration.ofMillis(20);

    private final Hand hand;
    private final Turnstile turnstile;
    private final Jobs jobs;
    private final Dibs routed;

    /** The last one is over {@link Tenants}. */
    Toil(Hand hand, Turnstile turnstile, Jobs jobs, Dibs routed) {
        this.hand = hand;
        this.turnstile = turnstile;
        this.jobs = jobs;
        this.routed = routed;
    }

    @Override
    public void run() {
        try {
            while (turnstile.pass()) {
                attempt(task());
                Hand.sleep(hand.upTo(BREATH));
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            surprise(e);
        }
    }

    private Task task() {
        return switch (hand.random().nextInt(18)) {
            case 0, 1 -> LockTask.lock(hand);
            case 2 -> hand.chance(20) ? new BreakTask(hand) : LockTask.lock(hand);
            case 3 -> LockTask.two(hand);
            case 4 -> hand.chance(70) ? LockTask.reader(hand) : LockTask.writer(hand);
            case 5 -> LockTask.permit(hand);
            case 6 -> LockTask.fair(hand);
            case 7 -> LockTask.brief(hand);
            case 8 -> new LeaderTask(hand);
            case 9 -> new OnceTask(hand);
            case 10 -> new ClaimTask(hand, Tables.JOB, jobs.inColumns());
            case 11 -> new ClaimTask(hand, Tables.SIDE_JOB, jobs.aside());
            case 12 -> new ClaimTask(hand, Tables.PASS_JOB, jobs.ranges());
            case 13 -> new RunTask(hand, jobs.ofRun());
            case 14 -> new ClaimTask(hand, Tables.PART_JOB, jobs.inPartitions());
            case 15 -> CrowdTask.crowd(hand);
            case 16 -> CrowdTask.routed(hand, routed);
            default -> new TokenTask(hand);
        };
    }

    /** Exceptions of Dibs and the database during a fault are expected; all others are not. */
    private static void attempt(Task task) {
        try {
            task.run();
        } catch (DatabaseFailureException | LeaseLostException | SQLException e) {
            // The history has it; the next task follows.
            return;
        }
    }

    private static void surprise(Throwable e) {
        e.printStackTrace();
        System.out.println("SURPRISE " + e);
    }
}
