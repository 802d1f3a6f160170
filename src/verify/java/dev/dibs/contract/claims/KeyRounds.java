package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Sends the keys of a table through all operations on claims, from two sessions with other settings, and lists what went wrong. */
final class KeyRounds {

    private static final Duration MOMENT = Duration.ofMillis(1);

    private final KeyTable table;
    private final int rows;
    private final Dibs one;
    private final Dibs other;
    private final DataSource pool;
    private final RowClaims<RowKey> here;
    private final RowClaims<RowKey> there;
    private final List<String> faults = new ArrayList<>();

    /**
     * For one table.
     *
     * @param rows how many it has
     * @param one over {@code pool}
     * @param other over sessions with other settings
     */
    KeyRounds(KeyTable table, int rows, Dibs one, Dibs other, DataSource pool) {
        this.table = table;
        this.rows = rows;
        this.one = one;
        this.other = other;
        this.pool = pool;
        this.here = table.claims(one).build();
        this.there = table.claims(other).build();
    }

    /** What went wrong. */
    List<String> faults() {
        return faults;
    }

    private interface Round {
        void go() throws Exception;
    }

    /** Each operation of a claim, and of one that another session finds by its token. */
    void claims() throws Exception {
        round("all at once", () -> {
            try (Claim<RowKey> claim = here.claim(rows)) {
                expect("renew", claim.renew(), rows);
                expect("complete", claim.complete(), rows);
            }
        });
        round("in parts", this::inParts);
        round("in the caller's transaction", this::joined);
        round("one after the other", () -> {
            Claim<RowKey> claim = here.claim(1);
            for (int done = 0; done < rows; done++) {
                expect("claim", claim.size(), 1);
                var turn = claim.completeAndClaim(List.of(claim.keys().get(0)), 1);
                expect("completeAndClaim", turn.completed(), 1);
                claim = turn.next();
            }
            claim.close();
        });
        round("in another session", () -> {
            try (Claim<RowKey> claim = here.claim(rows);
                    Claim<RowKey> found = there.find(claim.token())) {
                expect("the keys there", Set.copyOf(found.keys()).equals(Set.copyOf(claim.keys())) ? rows : 0, rows);
                expect("complete there", found.complete(claim.keys()), rows);
                expect("complete again", claim.complete(), 0);
            }
        });
    }

    private void inParts() {
        try (Claim<RowKey> claim = here.claim(rows)) {
            List<RowKey> first = claim.keys().subList(0, 1);
            List<RowKey> rest = claim.keys().subList(1, rows);
            expect("isHeld", (int) claim.keys().stream().filter(claim::isHeld).count(), rows);
            expect("release", claim.release(first), 1);
            expect(
                    "isHeld after it",
                    (int) claim.keys().stream().filter(claim::isHeld).count(),
                    rows - 1);
            expect("postpone", claim.postpone(rest, Duration.ZERO), rows - 1);
            expect("release by the token", here.release(claim.token()).size(), 0);
        }
        try (Claim<RowKey> claim = here.claim(rows)) {
            expect("complete(keys)", claim.complete(claim.keys()), rows);
        }
    }

    private void joined() throws Exception {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (Claim<RowKey> claim = here.claim(connection, rows)) {
                expect("claim", claim.size(), rows);
                expect("complete", claim.complete(connection, claim.keys()), rows);
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    /** A run that fails in each row once, and one that gives each row up, in another session than the one that takes it up again. */
    void runs(String name) throws Exception {
        round("a run", () -> {
            Set<RowKey> failed = ConcurrentHashMap.newKeySet();
            AtomicInteger calls = new AtomicInteger();
            try (RunWorkers<RowKey> workers = one.run(name)
                    .over(here)
                    .batch(3)
                    .threads(2)
                    .maxAttempts(2)
                    .backoff(MOMENT, MOMENT)
                    .work(key -> {
                        calls.incrementAndGet();
                        fail(failed.add(key));
                    })) {
                await(workers.start());
            }
            expect("calls of the work", calls.get(), 2 * rows);
        });
        round("a run with dead rows", () -> {
            try (RunWorkers<RowKey> workers =
                    one.run(name + "-dead").over(here).maxAttempts(1).work(key -> fail(true))) {
                await(workers.start());
                expect("dead rows", workers.run().dead(100).size(), rows);
            }
            AtomicInteger calls = new AtomicInteger();
            try (RunWorkers<RowKey> workers =
                    other.run(name + "-dead").over(there).maxAttempts(1).work(key -> calls.incrementAndGet())) {
                workers.run().retryDead();
                await(workers.start());
            }
            expect("calls of the work, the second time", calls.get(), rows);
        });
    }

    private static void fail(boolean now) {
        if (now) {
            throw new IllegalStateException("as the test wants it");
        }
    }

    private void await(RunWorkers<?> workers) throws InterruptedException {
        expect("the run's end", workers.await(Duration.ofMinutes(1)) ? 1 : 0, 1);
    }

    /** In the claim table, if it takes such keys. */
    void besides() throws Exception {
        RowClaims<RowKey> claims;
        try {
            claims = table.besides(one).build();
        } catch (DatabaseFailureException refused) {
            return;
        }
        round("in the claim table", () -> {
            try (Claim<RowKey> claim = claims.claim(rows)) {
                expect("claim", claim.size(), rows);
                expect("renew", claim.renew(), rows);
                List<RowKey> first = claim.keys().subList(0, 1);
                expect("release", claim.release(first), 1);
                expect("complete", claim.complete(claim.keys()), rows - 1);
                Claim<RowKey> again = claims.claim(rows);
                expect("claim again", new HashSet<>(again.keys()).equals(Set.copyOf(first)) ? 1 : 0, 1);
                expect("complete again", again.complete(), 1);
            }
        });
    }

    private void round(String what, Round round) throws Exception {
        int before = faults.size();
        table.reopen();
        try {
            round.go();
            expect("rows that are done", (int) table.countDone(), rows);
        } catch (RuntimeException e) {
            faults.add(e.toString());
        }
        for (int i = before; i < faults.size(); i++) {
            faults.set(i, what + ": " + faults.get(i));
        }
    }

    private void expect(String what, ClaimResult result, int done) {
        expect(what + " " + result, result.done().size(), done);
    }

    private void expect(String what, int is, int should) {
        if (is != should) {
            faults.add(what + ": " + is + " and not " + should);
        }
    }
}
