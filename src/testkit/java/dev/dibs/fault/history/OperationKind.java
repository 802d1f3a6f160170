package dev.dibs.fault.history;

/** What an operation of a history does. */
public enum OperationKind {
    /** Asks for a lease. OK is a hold, named by the id of this operation. */
    ACQUIRE,
    /** The holder asked its own clock. OK: the lease was valid, and certain until the deadline. */
    CHECK,
    /** From the INVOKE on the holder does not use its lease any more. */
    RELEASE,
    /** The end of a run of {@code once}, like RELEASE. OK: it is recorded as a success. */
    RECORD,
    /** A transaction under a guard that writes a row of the ledger. */
    WRITE,
    /** A transaction under a reader's guard. OK: the value is the same at its beginning and at its end. */
    READ,
    /** Claims rows. OK: their keys. */
    CLAIM,
    /** Completes claimed rows directly; the hold is their CLAIM. INVOKE: the keys; OK: those that were completed. */
    COMPLETE,
    /** The same in a transaction that also writes one effect for each. */
    COMPLETE_IN_TRANSACTION,
    /** Consumes a token. FAIL: the value is the answer. */
    CONSUME,
    /** The same in a transaction that also writes an effect. */
    CONSUME_IN_TRANSACTION,
    /** Rows of Dibs were changed by hand: no holder of the name can be certain from then on. For claims, the name is {@value #CLAIMS}. */
    TAMPER,
    /** An administrator took a lock from its holder. OK: the holder of an earlier grant has lost it. */
    BREAK,
    /** The thread of an ACQUIRE was interrupted; the hold is that ACQUIRE. */
    INTERRUPT,
    /** Worked for a run for a while. */
    RUN,
    /**
     * A database was killed that may forget its last commits. An answer up to this many nanoseconds (the value) before counts as lost, and
     * no holder can be certain from then on.
     */
    CRASH;

    /** The value of an ACQUIRE that failed because a thread was interrupted. */
    public static final String INTERRUPTED = "interrupted";

    /** The name for changes of claims by hand. */
    public static final String CLAIMS = "claims";
}
