package dev.dibs.internal.schema;

import java.time.Duration;

/** What a capability is for its instance besides its operations: what the doctor examines, and its end. */
public interface CapabilityPart {

    /** Checks by writing to its tables, if they are there; nothing by default. */
    default void tryOut(Checks checks, TablesThere there) {}

    /** Checks for what is stored for a time far ahead of the database's clock; nothing by default. */
    default void lookAhead(Checks checks, TablesThere there, DatabaseClock clock) {}

    /** Ends what is under way, within a share of the time, so that the other parts have some. */
    default void close(Duration patience) {}
}
