package dev.dibs.fault.history;

/** What is done. */
public enum Act {
    /** Asks for a lease. OK is a hold, which goes by the id of this operation. */
    ACQUIRE,
    /** The holder asked its own clock. OK: the lease was valid, and for certain until the deadline. */
    CHECK,
    /** From the INVOKE on the holder makes no more use of its lease. */
    RELEASE,
    /** The end of a run of {@code once}, like RELEASE. OK: it is recorded as a success. */
    RECORD,
    /** A transaction under a guard that writes a row of the ledger. */
    WRITE,
    /** A transaction under a reader's guard. OK: the value is what it saw at its beginning and at its end. */
    READ,
    /** Claims rows. OK: their keys. */
    CLAIM,
    /** Completes claimed rows by itself; the hold is their CLAIM. INVOKE: the keys; OK: those that were completed. */
    COMPLETE,
    /** The same in a transaction that also writes one effect for each. */
    COMPLETE_IN_TRANSACTION,
    /** Uses a token up. FAIL: the value is the answer. */
    CONSUME,
    /** The same in a transaction that also writes an effect. */
    CONSUME_IN_TRANSACTION,
    /**
     * Somebody changed rows of Dibs by hand: no holder of the name can be sure of anything from then on. Those of claims go by
     * {@value #CLAIMS}.
     */
    TAMPER,
    /** An administrator took a lock from its holder. OK: who had been granted it before has it no more. */
    BREAK,
    /** Worked for a run for a while. */
    RUN,
    /**
     * A database was killed that may forget its last commits. What was answered up to so many nanoseconds (the value) before it counts as not
     * answered, and no holder can be sure of anything from then on.
     */
    CRASH;

    /** The name under which claims are tampered with. */
    public static final String CLAIMS = "claims";
}
