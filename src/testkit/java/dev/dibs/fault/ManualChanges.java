package dev.dibs.fault;

import dev.dibs.fault.Fault.Heal;
import dev.dibs.fault.Fault.Scope;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Mode;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import dev.dibs.fault.worker.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

/**
 * Rows of Dibs are deleted or changed by hand. Their holders may not notice it before their next renewals, so they cannot be certain. But
 * guarded writes stay exclusive, fences go on growing, and nothing is done twice in a transaction.
 */
final class ManualChanges {
    private static final int PATIENCE_SECONDS = 3;
    /** So that some change meets a holder that is about to write. */
    private static final int TIMES = 4;

    private static final long PAUSE_MILLIS = 100;

    private static final List<String> LOCK_CHANGES = List.of(
            "DELETE FROM dibs_lock WHERE name = '%s'",
            "UPDATE dibs_lock SET held_until = 0 WHERE name = '%s'",
            "UPDATE dibs_lock SET owner = 'somebody' WHERE name = '%s'",
            "UPDATE dibs_lock SET fence = 1 WHERE name = '%s'");
    private static final List<String> PERMIT_CHANGES = List.of(
            "DELETE FROM dibs_permit WHERE name = '%s'", "UPDATE dibs_permit SET held_until = 0 WHERE name = '%s'");
    private static final List<String> GATE_CHANGES =
            List.of("DELETE FROM dibs_gate WHERE name = '%s'", "UPDATE dibs_gate SET held_until = 0 WHERE name = '%s'");
    private static final List<String> READER_CHANGES = List.of(
            "DELETE FROM dibs_reader WHERE name = '%s'", "UPDATE dibs_reader SET held_until = 0 WHERE name = '%s'");
    private static final List<String> CLAIM_CHANGES = List.of(
            "UPDATE fault_job SET token = NULL, claimed_until = NULL WHERE token IS NOT NULL AND completions = 0",
            "UPDATE fault_job SET token = 'somebody' WHERE token IS NOT NULL AND completions = 0",
            "UPDATE fault_run_job SET token = NULL, claimed_until = NULL WHERE token IS NOT NULL AND completions = 0",
            "UPDATE fault_run_job SET token = 'somebody' WHERE token IS NOT NULL AND completions = 0",
            "DELETE FROM dibs_claim WHERE scope = 'fault_side_job'",
            "UPDATE dibs_claim SET token = 'somebody' WHERE scope = 'fault_side_job'",
            "UPDATE dibs_range SET held_until = 0 WHERE id <> 'dibs-cursor'");

    private ManualChanges() {}

    static List<Fault> all() {
        return List.of(
                fault("rows of locks are changed by hand", Mode.LOCK, LOCK_CHANGES, Workload.allLocks()),
                fault(
                        "rows of permits are changed by hand",
                        Mode.PERMIT,
                        PERMIT_CHANGES,
                        List.copyOf(Workload.SEMAPHORES.keySet())),
                fault("gates are changed by hand", Mode.WRITER, GATE_CHANGES, Workload.READ_WRITE_LOCKS),
                fault("readers are changed by hand", Mode.READER, READER_CHANGES, Workload.READ_WRITE_LOCKS),
                fault("claims are changed by hand", null, CLAIM_CHANGES, List.of(OperationKind.CLAIMS)));
    }

    private static Fault fault(String name, Mode mode, List<String> changes, List<String> names) {
        return new Fault(name, Scope.NOTHING, (setup, worker, length, random) -> {
            for (int times = 0; times < TIMES; times++) {
                for (String each : names) {
                    if (random.nextInt(3) > 0) {
                        change(setup, mode, each, any(changes, random).formatted(each));
                    }
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            return Heal.NOTHING;
        });
    }

    /** An unanswered change may take effect a little later. */
    private static void change(FaultSetup setup, Mode mode, String name, String sql) {
        Entry tamper =
                setup.history().next(0, OperationKind.TAMPER, name).mode(mode).invoke();
        try (Connection admin = setup.database().admin();
                Statement statement = admin.createStatement()) {
            statement.setQueryTimeout(PATIENCE_SECONDS);
            statement.execute(sql);
            tamper.end(OperationState.OK);
        } catch (SQLException e) {
            tamper.value(e.getMessage()).end(OperationState.UNKNOWN);
        }
    }

    private static <T> T any(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }
}
