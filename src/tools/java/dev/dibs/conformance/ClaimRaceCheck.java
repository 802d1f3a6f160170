package dev.dibs.conformance;

import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.conformance.Client.Changed;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients and Java claim rows of one table and count under one lock, while clients are killed. Each row is done exactly once, and none is left.
 */
final class ClaimRaceCheck {

    private static final int ROWS = 3_000;
    private static final int CLAIMS_A_ROUND = 3;
    private static final int AT_ONCE = 5;
    private static final int LEFT_BEHIND = 20;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int LONG_IN_LEASES = 10;

    private final Arena arena;
    private final ClaimRows rows;
    private final RowClaims<RowKey> inJava;
    private final String lock;
    private final Set<Long> reported = ConcurrentHashMap.newKeySet();

    private ClaimRaceCheck(Arena arena, ClaimRows rows) {
        this.arena = arena;
        this.rows = rows;
        this.inJava = rows.inJava();
        this.lock = arena.name();
    }

    static List<Check> all() {
        return List.of(new Check(7, "claim-race", arena -> {
            try (ClaimRows rows = arena.referee().rows(ROWS, arena.lease())) {
                new ClaimRaceCheck(arena, rows).run();
            }
        }));
    }

    private void run() throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        Client stray = arena.client();
        int claimed = stray.claim(rows, LEFT_BEHIND).keys().size();
        CheckFailed.unless(claimed == LEFT_BEHIND, "a claim of " + LEFT_BEHIND + " free rows gave " + claimed);
        stray.kill();
        Race.run(arena, this::round, this::roundInJava);
        CheckFailed.unless(!reported.isEmpty(), "no client has completed a row");
        finish();
        ClaimChecks.requireDoneOnce(rows);
    }

    /** The last row of a claim is given back. */
    private int round(Client client) throws CheckFailed, NotOffered, SQLException {
        for (int i = 0; i < CLAIMS_A_ROUND; i++) {
            List<Long> keys = client.claim(rows, AT_ONCE).keys();
            Changed changed = client.complete(keys.subList(0, Math.max(0, keys.size() - 1)));
            report(changed.done());
            client.releaseClaim();
        }
        return Race.add(arena, client, lock);
    }

    private int roundInJava() throws CheckFailed, SQLException, InterruptedException {
        for (int i = 0; i < CLAIMS_A_ROUND; i++) {
            try (Claim<RowKey> claim = inJava.claim(AT_ONCE)) {
                List<RowKey> keys = claim.keys().subList(0, Math.max(0, claim.size() - 1));
                report(claim.complete(keys).done().stream().map(RowKey::asLong).toList());
            }
        }
        return Race.addInJava(arena, lock);
    }

    private void report(Collection<Long> keys) throws CheckFailed {
        for (Long key : keys) {
            CheckFailed.unless(reported.add(key), "the row " + key + " was completed by two");
        }
    }

    /** Those of the clients that were killed come back. */
    private void finish() throws CheckFailed, SQLException, InterruptedException {
        long patience = arena.lease().multipliedBy(LONG_IN_LEASES).toNanos();
        long last = System.nanoTime();
        for (long left = inJava.count(); left > 0; left = inJava.count()) {
            long tried = System.nanoTime();
            try (Claim<RowKey> claim = inJava.claim(100)) {
                List<RowKey> done = claim.complete().done();
                report(done.stream().map(RowKey::asLong).toList());
                last = done.isEmpty() ? last : System.nanoTime();
            }
            CheckFailed.unless(tried - last < patience, left + " rows are left and cannot be claimed");
            Thread.sleep(PAUSE.toMillis());
        }
    }
}
