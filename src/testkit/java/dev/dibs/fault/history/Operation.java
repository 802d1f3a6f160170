package dev.dibs.fault.history;

/** An operation from its invocation to its outcome, as its process knows it; the outcome is null if it was cut off. */
record Operation(Event invoke, Event outcome) {

    boolean is(Stage stage) {
        return stage() == stage;
    }

    Stage stage() {
        return outcome == null ? Stage.UNKNOWN : outcome.stage();
    }

    Act act() {
        return invoke.act();
    }

    String name() {
        return invoke.name();
    }

    String id() {
        return invoke.op();
    }

    long begun() {
        return invoke.at();
    }

    /** When it was over; never, if that is unknown. */
    long ended() {
        return is(Stage.OK) || is(Stage.FAIL) ? outcome.at() : Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return act() + " " + id() + " on " + name() + " (" + stage() + ")";
    }
}
