package dev.dibs.internal.runs;

/**
 * What a run is made with; from then on its row says what holds.
 *
 * @param rate rows in 1000 seconds, 0 for no limit
 */
record RunDefaults(long batch, long rate, long maxFailures, long maxPercent) {}
