package dev.dibs.internal.time;

/** The state of a lease at a moment: running, or over. It goes from one {@link Term} to the next and ends once, for ever. */
public sealed interface LeaseState permits Term, LeaseState.End {

    /** The lease is over. */
    enum End implements LeaseState {
        RELEASED,
        LOST,
        /** Released by the close of its Dibs, perhaps while its holder still works. */
        CUT
    }
}
