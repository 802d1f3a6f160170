package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;

/** The claims of one Dibs, which makes it; use {@code Dibs.claims(..)}. Safe for use by any thread. */
public final class Claims {

    private final ClaimKeeper keeper;
    private final ClaimsFactory factory;

    /** For one instance. */
    public Claims(Context context) {
        this.keeper = new ClaimKeeper(context);
        this.factory = new ClaimsFactory(context, keeper);
    }

    /**
     * Claims on the rows of a table of the application's own.
     *
     * @param table its name, plain or quoted, with its schema before it if need be
     * @param lease how long a claim holds without being renewed, unless the builder is given another length
     */
    public ClaimsBuilder on(String table, Duration lease) {
        return new ClaimsSpec(factory, ClaimOptions.of(Arguments.required("table", table), lease));
    }

    /** Releases all claims and ends the threads. */
    public void close(Duration patience) {
        keeper.close(Deadline.in(patience));
    }
}
