package dev.dibs.fault.history;

import dev.dibs.fault.history.Effects.EffectRow;
import dev.dibs.fault.history.Effects.JobRow;
import dev.dibs.fault.history.Effects.LedgerRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A history made by hand, with small numbers for times. */
final class Story {
    private final List<Event> events = new ArrayList<>();
    private final List<LedgerRow> ledger = new ArrayList<>();
    private final List<JobRow> jobs = new ArrayList<>();
    private final List<EffectRow> effects = new ArrayList<>();
    private final Map<String, Long> counts = new HashMap<>();
    private int count;

    /** The data of one operation; a state of null means that it was cut off. */
    private String op(
            OperationKind kind,
            String name,
            String hold,
            Mode mode,
            long begun,
            OperationState state,
            long ended,
            Long fence,
            Long slot,
            Long deadline,
            String asked,
            String value) {
        String op = "op" + ++count;
        events.add(new Event(
                begun, "p", 1, op, OperationState.INVOKE, kind, name, hold, mode, fence, slot, deadline, asked));
        if (state != null) {
            events.add(new Event(ended, "p", 1, op, state, kind, name, hold, mode, fence, slot, deadline, value));
        }
        return op;
    }

    /** A granted lease that is certain until the deadline. */
    String hold(Mode mode, String name, long slot, long fence, long begun, long granted, long deadline) {
        return op(
                OperationKind.ACQUIRE,
                name,
                null,
                mode,
                begun,
                OperationState.OK,
                granted,
                fence,
                slot,
                deadline,
                null,
                null);
    }

    String lock(String name, long fence, long begun, long granted, long deadline) {
        return hold(Mode.LOCK, name, 0, fence, begun, granted, deadline);
    }

    Story acquireInterrupted(boolean itself) {
        String op = op(
                OperationKind.ACQUIRE,
                "a",
                null,
                Mode.LOCK,
                1,
                OperationState.FAIL,
                2,
                null,
                null,
                null,
                null,
                OperationKind.INTERRUPTED);
        if (itself) {
            op(OperationKind.INTERRUPT, "a", op, null, 1, OperationState.OK, 1, null, null, null, null, null);
        }
        return this;
    }

    Story check(String hold, long at, long deadline) {
        op(OperationKind.CHECK, "", hold, null, at, OperationState.OK, at, null, null, deadline, null, null);
        return this;
    }

    Story release(String hold, long at) {
        op(OperationKind.RELEASE, "", hold, null, at, OperationState.OK, at + 1, null, null, null, null, null);
        return this;
    }

    Story record(String hold, String name, long at, OperationState state) {
        op(OperationKind.RECORD, name, hold, null, at, state, at + 1, null, null, null, null, null);
        return this;
    }

    Story tamper(String name, Mode mode, long begun, long ended) {
        op(OperationKind.TAMPER, name, null, mode, begun, OperationState.OK, ended, null, null, null, null, null);
        return this;
    }

    Story breakLock(String name, long begun, OperationState state, long ended) {
        op(OperationKind.BREAK, name, null, Mode.LOCK, begun, state, ended, null, null, null, null, null);
        return this;
    }

    Story crash(long begun, long ended, long forgets) {
        op(
                OperationKind.CRASH,
                "db",
                null,
                null,
                begun,
                OperationState.OK,
                ended,
                null,
                null,
                null,
                String.valueOf(forgets),
                null);
        return this;
    }

    /** A guarded write, and the row that it left, if any: number 0 means none. */
    Story write(String name, long fence, long begun, OperationState state, long ended, long number) {
        return writeUnder("hold", name, fence, begun, state, ended, number);
    }

    Story writeUnder(String hold, String name, long fence, long begun, OperationState state, long ended, long number) {
        String op = op(
                OperationKind.WRITE,
                name,
                hold,
                null,
                begun,
                state,
                ended,
                fence,
                null,
                null,
                null,
                String.valueOf(number));
        return number == 0 ? this : row(name, number, fence, op);
    }

    Story row(String name, long number, long fence, String op) {
        ledger.add(new LedgerRow(name, number, fence, op));
        return this;
    }

    Story read(long before, long after) {
        op(
                OperationKind.READ,
                "a",
                "hold",
                null,
                1,
                OperationState.OK,
                2,
                null,
                null,
                null,
                null,
                before + " " + after);
        return this;
    }

    Story job(String job, long completions) {
        jobs.add(new JobRow(job, completions));
        return this;
    }

    Story counted(String table, long rows) {
        counts.put(table, rows);
        return this;
    }

    /** Claims at 1, completes from 5 to 6. */
    Story complete(OperationState state, String asked, String done) {
        return complete(state, asked, done, 1);
    }

    /** Claims, and completes four later. */
    Story complete(OperationState state, String asked, String done, long at) {
        String claim = op(
                OperationKind.CLAIM, "jobs", null, null, at, OperationState.OK, at + 1, null, null, null, null, asked);
        op(OperationKind.COMPLETE, "jobs", claim, null, at + 4, state, at + 5, null, null, null, asked, done);
        return this;
    }

    Story completeInTransaction(OperationState state, String asked, String done, String... written) {
        String op = op(
                OperationKind.COMPLETE_IN_TRANSACTION, "jobs", null, null, 1, state, 2, null, null, null, asked, done);
        for (String target : written) {
            effects.add(new EffectRow(target, op));
        }
        return this;
    }

    Story consume(String token, long begun, OperationState state, long ended, String answer) {
        op(OperationKind.CONSUME, token, null, null, begun, state, ended, null, null, null, null, answer);
        return this;
    }

    Story consumeInTransaction(String token, OperationState state, boolean written) {
        String op =
                op(OperationKind.CONSUME_IN_TRANSACTION, token, null, null, 1, state, 2, null, null, null, null, null);
        if (written) {
            effects.add(new EffectRow(token, op));
        }
        return this;
    }

    Story event(Event event) {
        events.add(event);
        return this;
    }

    History history() {
        return new History(events);
    }

    Effects effects() {
        return new Effects(ledger, jobs, effects, counts);
    }
}
