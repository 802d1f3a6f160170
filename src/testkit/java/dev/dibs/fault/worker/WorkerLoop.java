package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.LeaseLostException;
import java.sql.SQLException;
import java.time.Duration;

/** The loop of one thread: task after task, until it is ended. */
final class WorkerLoop implements Runnable {
    private static final Duration BREATH = Duration.ofMillis(20);

    private final WorkerContext context;
    private final PauseGate gate;
    private final Jobs jobs;
    private final Dibs routed;

    /** The last one is over {@link Tenants}. */
    WorkerLoop(WorkerContext context, PauseGate gate, Jobs jobs, Dibs routed) {
        this.context = context;
        this.gate = gate;
        this.jobs = jobs;
        this.routed = routed;
    }

    @Override
    public void run() {
        try {
            while (gate.pass()) {
                attempt(task());
                WorkerContext.sleep(context.upTo(BREATH));
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            surprise(e);
        }
    }

    private Task task() {
        return switch (context.random().nextInt(19)) {
            case 0 -> LockTask.lock(context);
            case 1 -> context.chance(60) ? LockTask.transaction(context) : LockTask.lock(context);
            case 2 -> context.chance(20) ? LockTask.breaking(context) : LockTask.lock(context);
            case 3 -> LockTask.two(context);
            case 4 -> context.chance(70) ? LockTask.reader(context) : LockTask.writer(context);
            case 5 -> LockTask.permit(context);
            case 6 -> LockTask.fair(context);
            case 7 -> LockTask.brief(context);
            case 8 -> new LeaderTask(context);
            case 9 -> new OnceTask(context);
            case 10 -> new ClaimTask(context, Tables.JOB, jobs.inColumns());
            case 11 -> new ClaimTask(context, Tables.SIDE_JOB, jobs.aside());
            case 12 -> new ClaimTask(context, Tables.PASS_JOB, jobs.ranges());
            case 13 -> new RunTask(context, jobs.ofRun());
            case 14 -> new ClaimTask(context, Tables.PART_JOB, jobs.inPartitions());
            case 15 -> CrowdTask.crowd(context);
            case 16 -> CrowdTask.routed(context, routed);
            case 17 -> new ClaimTask(context, Tables.PER_KEY_JOB, jobs.perKey());
            default -> new TokenTask(context);
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
