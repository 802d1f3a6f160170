package dev.dibs;

import java.time.Instant;

/**
 * One lock that is held, as the database had it at the moment of reading.
 *
 * @param name the lock's name
 * @param holder the label of the instance that holds it; for people, not for decisions
 * @param fencingToken the number of this acquisition; every later one of the name has a greater number
 * @param since when it was acquired, by the database's clock
 * @param until when it ends unless it is renewed, by the database's clock
 */
public record LockInfo(String name, String holder, long fencingToken, Instant since, Instant until) {}
