package dev.dibs;

/**
 * Somebody who holds something, as the database had it at the moment of reading.
 *
 * @param kind what it is
 * @param lock its name, who has it, its number, and since and until when. A reader's number is that of the last writer when it came
 */
public record HolderInfo(HolderKind kind, LockInfo lock) {}
