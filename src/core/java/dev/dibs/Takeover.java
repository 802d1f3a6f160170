package dev.dibs;

import java.time.Duration;

/**
 * A lease was acquired from a holder that had neither renewed nor released its own.
 *
 * @param from the former holder
 * @param stale how long ago its lease had ended, by the database's clock
 */
public record Takeover(LockInfo from, Duration stale) {}
