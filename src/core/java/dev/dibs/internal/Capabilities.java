package dev.dibs.internal;

import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.calls.LockCalls;
import dev.dibs.internal.claims.Claims;
import dev.dibs.internal.fair.FairQueue;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.locks.LockRegister;
import dev.dibs.internal.locks.Locks;
import dev.dibs.internal.once.Onces;
import dev.dibs.internal.runs.Runs;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.tokens.Tokens;
import java.time.Duration;
import java.util.List;

/** The capabilities of one instance. A new one is listed here, and nowhere else. */
public record Capabilities(Locks locks, Onces onces, Claims claims, Runs runs, Tokens tokens) {

    static Capabilities of(Context context, LockCalls calls, Acquirer acquirer, LeaseKeeper keeper, Duration lease) {
        LockRegister register = new LockRegister(context, keeper);
        Locks locks = new Locks(calls, new FairQueue(acquirer)::inTurn, acquirer, register, lease);
        return new Capabilities(
                locks,
                new Onces(context, acquirer),
                new Claims(context),
                new Runs(context, acquirer.wakeups),
                new Tokens(context, locks::lock, register::take));
    }

    /** In the order in which they end: a run's workers complete their claims. */
    List<CapabilityPart> parts() {
        return List.of(locks, onces, runs, claims, tokens);
    }
}
