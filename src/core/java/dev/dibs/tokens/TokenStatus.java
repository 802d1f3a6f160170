package dev.dibs.tokens;

/** The outcome of an attempt to use a token or a code. */
public enum TokenStatus {
    /** It is valid, or was until this call used it. Exactly one caller gets this from consume. */
    OK,
    /**
     * There is no such token: it was never issued for this purpose, or was purged long ago, or the input cannot be a token at all.
     */
    UNKNOWN,
    /** It was not used in time. */
    EXPIRED,
    /** It was revoked, or another one replaced it. */
    REVOKED,
    /** It has been used before. */
    USED,
    /** Of codes: it is not the subject's code. The attempt was counted. */
    WRONG,
    /** Of codes: there were too many wrong attempts. No code of the subject is accepted until the window is over. */
    LOCKED
}
