package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;

/** The claims of one Dibs. Get it by {@code Dibs.claims(..)}. Safe for use by any thread. */
public final class Claims {

    private final ClaimKeeper keeper;
    private final ClaimsFactory factory;

    /** For one instance. */
    public Claims(Context context) {
        this.keeper = new ClaimKeeper(context);
        this.factory = new ClaimsFactory(context, keeper);
    }

    /**
     * Claims on the rows of an application's own table.
     *
     * @param table its name, plain or quoted, with its schema if needed
     * @param lease how long a claim lasts without a renewal, unless the builder gets another length
     */
    public ClaimsBuilder on(String table, Duration lease) {
        return new ClaimsSpec(factory, ClaimOptions.of(Arguments.required("table", table), lease));
    }

    /** Releases all claims and ends the threads. */
    public void close(Duration patience) {
        keeper.close(Deadline.in(patience));
    }
}
