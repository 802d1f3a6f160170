package dev.dibs.fault.worker;

import dev.dibs.DibsException;
import dev.dibs.LeaseLostException;
import dev.dibs.rows.RowClaims;
import dev.dibs.rows.RowKey;
import java.sql.SQLException;
import java.time.Duration;

/** One thread's life: task after task, until it is sent home. */
final class Toil implements Runnable {
    private static final Duration BREATH = Duration.ofMillis(20);

    private final Hand hand;
    private final Turnstile turnstile;
    private final RowClaims<RowKey> claims;
    private final RowClaims<RowKey> sideClaims;

    Toil(Hand hand, Turnstile turnstile, RowClaims<RowKey> claims, RowClaims<RowKey> sideClaims) {
        this.hand = hand;
        this.turnstile = turnstile;
        this.claims = claims;
        this.sideClaims = sideClaims;
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
        return switch (hand.random().nextInt(10)) {
            case 0, 1, 2 -> LockTask.lock(hand);
            case 3 -> LockTask.two(hand);
            case 4 -> hand.chance(70) ? LockTask.reader(hand) : LockTask.writer(hand);
            case 5 -> LockTask.permit(hand);
            case 6 -> new OnceTask(hand);
            case 7 -> new ClaimTask(hand, Tables.JOB, claims);
            case 8 -> new ClaimTask(hand, Tables.SIDE_JOB, sideClaims);
            default -> new TokenTask(hand);
        };
    }

    /** What Dibs and the database may say while something goes wrong is no surprise; everything else is. */
    private static void attempt(Task task) {
        try {
            task.run();
        } catch (DibsException | LeaseLostException | SQLException e) {
            // The history has it, and what comes next is another task.
            return;
        }
    }

    private static void surprise(Throwable e) {
        e.printStackTrace();
        System.out.println("SURPRISE " + e);
    }
}
