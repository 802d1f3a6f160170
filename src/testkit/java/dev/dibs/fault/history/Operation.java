package dev.dibs.fault.history;

/** An operation from its invocation to its outcome, as its process knows it; the outcome is null if it was cut off. */
record Operation(Event invoke, Event outcome) {

    boolean is(OperationState state) {
        return state() == state;
    }

    OperationState state() {
        return outcome == null ? OperationState.UNKNOWN : outcome.state();
    }

    OperationKind kind() {
        return invoke.kind();
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
        return is(OperationState.OK) || is(OperationState.FAIL) ? outcome.at() : Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return kind() + " " + id() + " on " + name() + " (" + state() + ")";
    }
}
