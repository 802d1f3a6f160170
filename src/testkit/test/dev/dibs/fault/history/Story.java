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

    /** The data of one operation; a stage of null means that it was cut off. */
    private String op(
            Act act,
            String name,
            String hold,
            Mode mode,
            long begun,
            Stage stage,
            long ended,
            Long fence,
            Long slot,
            Long deadline,
            String asked,
            String value) {
        String op = "op" + ++count;
        events.add(new Event(begun, "p", 1, op, Stage.INVOKE, act, name, hold, mode, fence, slot, deadline, asked));
        if (stage != null) {
            events.add(new Event(ended, "p", 1, op, stage, act, name, hold, mode, fence, slot, deadline, value));
        }
        return op;
    }

    /** A granted lease that is certain until the deadline. */
    String hold(Mode mode, String name, long slot, long fence, long begun, long granted, long deadline) {
        return op(Act.ACQUIRE, name, null, mode, begun, Stage.OK, granted, fence, slot, deadline, null, null);
    }

    String lock(String name, long fence, long begun, long granted, long deadline) {
        return hold(Mode.LOCK, name, 0, fence, begun, granted, deadline);
    }

    Story acquireInterrupted(boolean itself) {
        String op = op(Act.ACQUIRE, "a", null, Mode.LOCK, 1, Stage.FAIL, 2, null, null, null, null, Act.INTERRUPTED);
        if (itself) {
            op(Act.INTERRUPT, "a", op, null, 1, Stage.OK, 1, null, null, null, null, null);
        }
        return this;
    }

    Story check(String hold, long at, long deadline) {
        op(Act.CHECK, "", hold, null, at, Stage.OK, at, null, null, deadline, null, null);
        return this;
    }

    Story release(String hold, long at) {
        op(Act.RELEASE, "", hold, null, at, Stage.OK, at + 1, null, null, null, null, null);
        return this;
    }

    Story record(String hold, String name, long at, Stage stage) {
        op(Act.RECORD, name, hold, null, at, stage, at + 1, null, null, null, null, null);
        return this;
    }

    Story tamper(String name, Mode mode, long begun, long ended) {
        op(Act.TAMPER, name, null, mode, begun, Stage.OK, ended, null, null, null, null, null);
        return this;
    }

    Story breakLock(String name, long begun, Stage stage, long ended) {
        op(Act.BREAK, name, null, Mode.LOCK, begun, stage, ended, null, null, null, null, null);
        return this;
    }

    Story crash(long begun, long ended, long forgets) {
        op(Act.CRASH, "db", null, null, begun, Stage.OK, ended, null, null, null, String.valueOf(forgets), null);
        return this;
    }

    /** A guarded write, and the row that it left, if any: number 0 means none. */
    Story write(String name, long fence, long begun, Stage stage, long ended, long number) {
        return writeUnder("hold", name, fence, begun, stage, ended, number);
    }

    Story writeUnder(String hold, String name, long fence, long begun, Stage stage, long ended, long number) {
        String op =
                op(Act.WRITE, name, hold, null, begun, stage, ended, fence, null, null, null, String.valueOf(number));
        return number == 0 ? this : row(name, number, fence, op);
    }

    Story row(String name, long number, long fence, String op) {
        ledger.add(new LedgerRow(name, number, fence, op));
        return this;
    }

    Story read(long before, long after) {
        op(Act.READ, "a", "hold", null, 1, Stage.OK, 2, null, null, null, null, before + " " + after);
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
    Story complete(Stage stage, String asked, String done) {
        String claim = op(Act.CLAIM, "jobs", null, null, 1, Stage.OK, 2, null, null, null, null, asked);
        op(Act.COMPLETE, "jobs", claim, null, 5, stage, 6, null, null, null, asked, done);
        return this;
    }

    Story completeInTransaction(Stage stage, String asked, String done, String... written) {
        String op = op(Act.COMPLETE_IN_TRANSACTION, "jobs", null, null, 1, stage, 2, null, null, null, asked, done);
        for (String target : written) {
            effects.add(new EffectRow(target, op));
        }
        return this;
    }

    Story consume(String token, long begun, Stage stage, long ended, String answer) {
        op(Act.CONSUME, token, null, null, begun, stage, ended, null, null, null, null, answer);
        return this;
    }

    Story consumeInTransaction(String token, Stage stage, boolean written) {
        String op = op(Act.CONSUME_IN_TRANSACTION, token, null, null, 1, stage, 2, null, null, null, null, null);
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
