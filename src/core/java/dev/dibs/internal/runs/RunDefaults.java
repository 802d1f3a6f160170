package dev.dibs.internal.runs;

/**
 * The settings of a new run; after that, its row in the database counts.
 *
 * @param rate rows in 1000 seconds, 0 for no limit
 */
record RunDefaults(long batch, long rate, long maxFailures, long maxPercent) {}
