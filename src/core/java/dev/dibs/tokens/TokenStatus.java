package dev.dibs.tokens;

/** What became of an attempt to use a token or a code. */
public enum TokenStatus {
    /** It is, or was until this call, good: this caller and no other has it. */
    OK,
    /** There is no such token: it was never issued for this purpose, or purged long ago, or it cannot be one at all. */
    UNKNOWN,
    /** It was not used in time. */
    EXPIRED,
    /** It was revoked, or another one was issued in its place. */
    REVOKED,
    /** It has been used before. */
    USED,
    /** Of codes: it is not the subject's code, and a try is gone. */
    WRONG,
    /** Of codes: too many wrong ones were tried; no code of the subject is taken for a while. */
    LOCKED
}
