package dev.dibs.fault.history;

import dev.dibs.fault.history.Effects.LedgerRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What is written under a lock, and what ends a call. */
final class WriteRules {

    private WriteRules() {}

    /** After a lock was broken, no holder of an earlier grant commits a guarded write. */
    static void breaks(History history, Effects effects, List<String> broken) {
        Map<String, Operation> grants = new HashMap<>();
        history.of(OperationKind.ACQUIRE)
                .filter(acquire ->
                        acquire.is(OperationState.OK) && acquire.invoke().mode() == Mode.LOCK)
                .forEach(acquire -> grants.put(acquire.id(), acquire));
        Map<String, List<Operation>> breaks = history.of(OperationKind.BREAK)
                .filter(by -> by.is(OperationState.OK))
                .collect(Collectors.groupingBy(Operation::name));
        Set<String> written = effects.ledger().stream().map(LedgerRow::op).collect(Collectors.toSet());
        history.of(OperationKind.WRITE)
                .filter(write -> written.contains(write.id()))
                .forEach(write -> {
                    Operation grant = grants.get(write.invoke().hold());
                    if (grant != null) {
                        breaks.getOrDefault(grant.name(), List.of()).stream()
                                .filter(by -> grant.ended() < by.begun() && by.ended() < write.begun())
                                .forEach(by -> broken.add(
                                        "committed after a break: " + write + " under " + grant + ", " + by));
                    }
                });
    }

    /**
     * Guarded writes: an acknowledged one exists, once; a failed one does not; each writer saw all earlier writes; and holders follow each
     * other by their fences.
     */
    static void ledger(History history, Effects effects, List<String> broken) {
        Map<String, LedgerRow> rows = new HashMap<>();
        for (LedgerRow row : effects.ledger()) {
            if (rows.put(row.op(), row) != null) {
                broken.add("written twice: " + row);
            }
            checkRow(history.get(row.op()), row, broken);
        }
        history.of(OperationKind.WRITE)
                .filter(write -> write.is(OperationState.OK) && !rows.containsKey(write.id()))
                .forEach(write -> broken.add("acknowledged and not there: " + write));
        effects.ledger().stream()
                .collect(Collectors.groupingBy(LedgerRow::name))
                .values()
                .forEach(of -> checkOrder(of, broken));
        checkTime(history, rows, broken);
        checkReads(history, broken);
    }

    private static void checkRow(Operation write, LedgerRow row, List<String> broken) {
        if (write == null || write.kind() != OperationKind.WRITE) {
            broken.add("nobody wrote this: " + row);
        } else if (write.is(OperationState.FAIL)) {
            broken.add("failed, and is there: " + row);
        } else if (!hasFence(write, row.fence()) || !write.name().equals(row.name())) {
            broken.add("not what was written: " + row + " by " + write);
        } else if (write.is(OperationState.OK)
                && !String.valueOf(row.number()).equals(write.outcome().value())) {
            broken.add("another number than acknowledged: " + row + " by "
                    + write.outcome().toJson());
        }
    }

    /** A transaction without a lease has none: it writes the one before it. */
    private static boolean hasFence(Operation write, long fence) {
        return write.invoke().fence() == null || write.invoke().fence() == fence;
    }

    private static void checkOrder(List<LedgerRow> rows, List<String> broken) {
        List<LedgerRow> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparingLong(LedgerRow::number));
        LedgerRow before = null;
        for (LedgerRow row : sorted) {
            if (row.number() != (before == null ? 1 : before.number() + 1)) {
                broken.add("two wrote at a time, or one is missing: " + before + ", then " + row);
            }
            if (before != null && row.fence() < before.fence()) {
                broken.add("a stale holder committed: " + before + ", then " + row);
            }
            before = row;
        }
    }

    /** An operation that ended before another one began comes before it. */
    private static void checkTime(History history, Map<String, LedgerRow> rows, List<String> broken) {
        history.of(OperationKind.WRITE)
                .filter(write -> rows.containsKey(write.id()))
                .collect(Collectors.groupingBy(Operation::name))
                .values()
                .forEach(writes -> {
                    List<Operation> byNumber = new ArrayList<>(writes);
                    byNumber.sort(Comparator.comparingLong(
                            (Operation write) -> rows.get(write.id()).number()));
                    Operation latest = null;
                    for (Operation write : byNumber) {
                        if (latest != null && write.ended() < latest.begun()) {
                            broken.add("out of order: " + latest + ", then " + write);
                        }
                        latest = latest == null || write.begun() > latest.begun() ? write : latest;
                    }
                });
    }

    private static void checkReads(History history, List<String> broken) {
        history.of(OperationKind.READ)
                .filter(read -> read.is(OperationState.OK))
                .forEach(read -> {
                    String[] seen = read.outcome().value().split(" ", 2);
                    if (!seen[0].equals(seen[1])) {
                        broken.add("somebody wrote beside a reader: "
                                + read.outcome().toJson());
                    }
                });
    }

    /** A call fails because of an interrupt only if it was interrupted itself. */
    static void interrupts(History history, List<String> broken) {
        Set<String> interrupted = history.of(OperationKind.INTERRUPT)
                .map(interrupt -> interrupt.invoke().hold())
                .collect(Collectors.toSet());
        history.of(OperationKind.ACQUIRE)
                .filter(acquire -> acquire.is(OperationState.FAIL)
                        && OperationKind.INTERRUPTED.equals(acquire.outcome().value()))
                .filter(acquire -> !interrupted.contains(acquire.id()))
                .forEach(acquire -> broken.add("failed because of another's interrupt: " + acquire));
    }
}
