package dev.dibs;

import java.time.Duration;

/**
 * A lease was acquired from a holder that had neither renewed nor released its own.
 *
 * @param from who held it before
 * @param stale how long its lease had been over, by the database's clock
 */
public record Takeover(LockInfo from, Duration stale) {}
