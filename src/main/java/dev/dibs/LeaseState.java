package dev.dibs;

/** What a lease is at a moment: running, or over. It goes from one {@link Term} to the next and ends once, for ever. */
sealed interface LeaseState permits Term, LeaseState.End {

    /** The lease is over. */
    enum End implements LeaseState {
        RELEASED,
        LOST,
        /** Released by {@link Dibs#close()}, which may be while its holder still works. */
        CUT
    }
}
