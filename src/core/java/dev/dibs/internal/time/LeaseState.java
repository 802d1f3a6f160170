package dev.dibs.internal.time;

/** What a lease is at a moment: running, or over. It goes from one {@link Term} to the next and ends once, for ever. */
public sealed interface LeaseState permits Term, LeaseState.End {

    /** The lease is over. */
    enum End implements LeaseState {
        RELEASED,
        LOST,
        /** Released by the close of its Dibs, which may be while its holder still works. */
        CUT
    }
}
