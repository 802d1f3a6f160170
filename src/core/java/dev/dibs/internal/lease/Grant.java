package dev.dibs.internal.lease;

import dev.dibs.Lease.Takeover;
import dev.dibs.internal.time.Term;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the database has granted it.
 *
 * @param hold how many milliseconds its row stays busy from then on, even if it is released
 * @param row the row that is ours now
 * @param owner the token in it
 * @param term began before the acquire was sent
 */
public record Grant(
        LeaseKind kind,
        long hold,
        LeaseRow row,
        String owner,
        Term term,
        @Nullable Takeover takeover) {}
