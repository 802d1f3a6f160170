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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rows and tokens: who claims, completes, counts and uses them. */
final class WorkRules {
    /** The rows of a customer are those whose numbers have the same rest. */
    private static final int CUSTOMERS = 5;

    /** The answer for a token that another caller has used. */
    static final String USED = "USED";

    private static final String FORGOTTEN = "UNKNOWN";

    private WorkRules() {}

    /**
     * Each row is completed once, by a worker that knows or may know of it; the effect in the same transaction is written as often. A worker
     * that completes rows directly, gets no answer, and finds them no longer its own counts them as completed. If the marks were removed by
     * hand, it may be wrong.
     */
    static void completions(History history, Effects effects, List<String> broken) {
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

    /**
     * Rows of a table that are in work one at a time for each customer, in the order of their keys: a later row is not claimed before the
     * completion of an earlier one has begun. Rows of which the outcome is not known are left out.
     */
    static void perKey(History history, String table, List<String> broken) {
        Map<Long, Operation> completed = new HashMap<>();
        Set<Long> unclear = new HashSet<>();
        Stream.concat(history.of(OperationKind.COMPLETE), history.of(OperationKind.COMPLETE_IN_TRANSACTION))
                .forEach(complete -> {
                    Set<Long> asked = rows(table, complete.invoke());
                    Set<Long> done = complete.is(OperationState.OK) ? rows(table, complete.outcome()) : Set.of();
                    done.stream()
                            .filter(row -> completed.put(row, complete) != null)
                            .forEach(unclear::add);
                    if (!complete.is(OperationState.OK)) {
                        unclear.addAll(asked);
                    }
                });
        history.of(OperationKind.CLAIM)
                .filter(claim -> claim.is(OperationState.OK))
                .forEach(claim -> rows(table, claim.outcome())
                        .forEach(row -> completed.forEach((earlier, complete) -> {
                            if (earlier < row
                                    && earlier % CUSTOMERS == row % CUSTOMERS
                                    && !unclear.contains(earlier)
                                    && claim.ended() < complete.begun()) {
                                broken.add("out of turn: " + row + " by " + claim + ", before " + earlier + " by "
                                        + complete);
                            }
                        })));
    }

    private static Set<Long> rows(String table, Event event) {
        Set<Long> rows = new HashSet<>();
        Arrays.stream(event.value().split(" ", -1))
                .filter(target -> target.startsWith(table + ":"))
                .forEach(target -> rows.add(Long.parseLong(target.substring(table.length() + 1))));
        return rows;
    }

    /**
     * A run has counted each completed row once. A worker reports its counts at its end: if the database has forgotten some rows in a crash,
     * they were counted all the same.
     */
    static void counts(History history, Effects effects, List<String> broken) {
        boolean forgets = history.of(OperationKind.CRASH).findAny().isPresent();
        effects.counts().forEach((table, counted) -> {
            long done = effects.jobs().stream()
                    .filter(job -> job.job().startsWith(table + ":") && job.completions() > 0)
                    .count();
            if (forgets ? done > counted : done != counted) {
                broken.add("miscounted: " + counted + " by the run of " + table + ", and " + done + " are done");
            }
        });
    }

    /** Of all callers that try a token, at most one consumes it, and an answer that it was used is true. All tokens were issued before. */
    static void tokens(History history, Effects effects, List<String> broken) {
        Set<String> written = effects.effects().stream().map(EffectRow::op).collect(Collectors.toSet());
        Map<String, Long> times = new HashMap<>();
        List<Operation> tries = Stream.concat(
                        history.of(OperationKind.CONSUME), history.of(OperationKind.CONSUME_IN_TRANSACTION))
                .toList();
        Map<String, Long> earliest = new HashMap<>();
        for (Operation consume : tries) {
            boolean joined = consume.kind() == OperationKind.CONSUME_IN_TRANSACTION;
            boolean there = written.contains(consume.id());
            if (joined && consume.is(OperationState.OK) && !there) {
                broken.add("acknowledged, and its effect is not there: " + consume);
            }
            if (there && (!joined || consume.is(OperationState.FAIL))) {
                broken.add("not committed, and its effect is there: " + consume);
            }
            boolean certain = joined ? there : consume.is(OperationState.OK);
            if (certain) {
                times.merge(consume.name(), 1L, Long::sum);
            }
            if (certain || (!joined && consume.is(OperationState.UNKNOWN))) {
                earliest.merge(consume.name(), consume.begun(), Math::min);
            }
        }
        times.forEach((token, count) -> {
            if (count > 1) {
                broken.add("used " + count + " times: " + token);
            }
        });
        tries.stream()
                .filter(consume -> consume.is(OperationState.FAIL)
                        && FORGOTTEN.equals(consume.outcome().value()))
                .forEach(consume -> broken.add("issued, and not known: " + consume));
        tries.stream()
                .filter(consume -> consume.is(OperationState.FAIL)
                        && USED.equals(consume.outcome().value()))
                .filter(consume -> earliest.getOrDefault(consume.name(), Long.MAX_VALUE) > consume.ended())
                .forEach(consume -> broken.add("said to be used, but nobody had: " + consume));
    }
}
