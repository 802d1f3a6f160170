package dev.dibs.fault.history;

import dev.dibs.fault.history.Effects.EffectRow;
import dev.dibs.fault.history.Effects.JobRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Each row is completed once, by a worker that knows or may know of it; the effect in the same transaction is written as often. A worker
 * that completes rows directly, gets no answer, and finds them no longer its own counts them as completed. If the marks were removed by
 * hand, it may be wrong.
 */
final class ClaimRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        Map<String, List<String>> known = new HashMap<>();
        Set<String> possible = new HashSet<>();
        List<Operation> tampering = history.of(OperationKind.TAMPER)
                .filter(tamper -> tamper.name().equals(OperationKind.CLAIMS) && !tamper.is(OperationState.FAIL))
                .toList();
        history.of(OperationKind.COMPLETE).forEach(complete -> {
            if (complete.is(OperationState.OK) && isTampered(history, complete, tampering)) {
                possible.addAll(keys(complete.outcome()));
            } else if (complete.is(OperationState.OK)) {
                keys(complete.outcome()).forEach(key -> add(known, key, complete.id()));
            } else if (complete.is(OperationState.UNKNOWN)) {
                possible.addAll(keys(complete.invoke()));
            }
        });
        for (EffectRow row : effects.effects()) {
            Operation writer = history.get(row.op());
            if (writer != null && writer.kind() == OperationKind.COMPLETE_IN_TRANSACTION) {
                add(known, row.target(), row.op());
                if (writer.is(OperationState.FAIL)) {
                    broken.add("failed, and its effect is there: " + row);
                }
            }
        }
        history.of(OperationKind.COMPLETE_IN_TRANSACTION)
                .filter(complete -> complete.is(OperationState.OK))
                .forEach(complete -> keys(complete.outcome()).stream()
                        .filter(key -> !known.getOrDefault(key, List.of()).contains(complete.id()))
                        .forEach(key ->
                                broken.add("acknowledged, and its effect is not there: " + key + " by " + complete)));
        for (JobRow job : effects.jobs()) {
            checkJob(job, known.getOrDefault(job.job(), List.of()), possible.contains(job.job()), broken);
            known.remove(job.job());
        }
        known.forEach((key, by) -> broken.add("no such row, but completed: " + key + " by " + by));
        return broken;
    }

    /** Whether that may have happened while the rows were claimed. */
    private static boolean isTampered(History history, Operation complete, List<Operation> tampering) {
        long claimed = history.get(complete.invoke().hold()).begun();
        return tampering.stream().anyMatch(tamper -> tamper.begun() < complete.ended() && tamper.ended() > claimed);
    }

    private static void checkJob(JobRow job, List<String> by, boolean possible, List<String> broken) {
        if (by.size() > 1 || job.completions() > 1) {
            broken.add("completed more than once: " + job + " by " + by);
        } else if (by.size() > job.completions()) {
            broken.add("completed, and not there: " + job + " by " + by);
        } else if (by.size() < job.completions() && !possible) {
            broken.add("completed by nobody: " + job);
        }
    }

    private static void add(Map<String, List<String>> known, String key, String op) {
        known.computeIfAbsent(key, any -> new ArrayList<>()).add(op);
    }

    private static List<String> keys(Event event) {
        return event.value().isEmpty() ? List.of() : Arrays.asList(event.value().split(" ", -1));
    }
}
