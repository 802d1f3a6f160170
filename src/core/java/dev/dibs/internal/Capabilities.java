package dev.dibs.internal;

import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.claims.Claims;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.locks.Locks;
import dev.dibs.internal.once.Onces;
import dev.dibs.internal.runs.Runs;
import dev.dibs.internal.tokens.Tokens;
import java.time.Duration;

/** What an instance has besides locks. */
public final class Capabilities {

    private final Onces onces;
    private final Claims claims;
    private final Runs runs;
    private final Tokens tokens;

    Capabilities(Context context, Acquirer acquirer, LeaseKeeper keeper, Locks locks) {
        onces = new Onces(context.database(), acquirer, keeper, context.errors(), context.schema());
        claims = new Claims(context);
        runs = new Runs(context);
        tokens = new Tokens(context, locks::lock);
    }

    /** Work that is done once a period. */
    public Onces onces() {
        return onces;
    }

    /** Claims on rows. */
    public Claims claims() {
        return claims;
    }

    /** Jobs over rows. */
    public Runs runs() {
        return runs;
    }

    /** One-time tokens. */
    public Tokens tokens() {
        return tokens;
    }

    /** Closes them. Runs have a limit of their own for that; claims and tokens have a tenth of the patience each. */
    void close(Duration patience) {
        runs.close();
        claims.close(patience.dividedBy(10));
        tokens.close(patience.dividedBy(10));
    }
}
