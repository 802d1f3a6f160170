package dev.dibs.conformance;

import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.conformance.ClaimRows.Row;
import dev.dibs.conformance.Client.Changed;
import dev.dibs.conformance.Client.Claimed;
import dev.dibs.conformance.CuttingProxy.Cut;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rules for a client of claims: level 7 of docs/lab/protocol.md. */
final class ClaimChecks {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private ClaimChecks() {}

    /** A check with a table of its own. */
    private interface Trial {
        void run(Arena arena, ClaimRows rows)
                throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException;
    }

    static List<Check> all() {
        return List.of(
                check("claim", 6, ClaimChecks::claim),
                check("claim-complete", 4, ClaimChecks::complete),
                check("claim-fenced", 2, ClaimChecks::fenced),
                check("claim-joined", 3, ClaimChecks::joined),
                check("claim-joined-long", 3, ClaimChecks::joinedLong).confirmed(),
                check("claim-outside", 2, ClaimChecks::outside),
                check("claim-deadline", 2, ClaimChecks::deadline),
                check("claim-renewal", 2, ClaimChecks::renewal).confirmed(),
                check("claim-loss-after-a-pause", 2, ClaimChecks::lossAfterPause),
                check("claim-loss-without-database", 2, ClaimChecks::lossWithoutDatabase),
                check("claim-killed", 2, ClaimChecks::killed),
                check("claim-locked", 2, ClaimChecks::locked),
                check("claim-lost-request", 9, (arena, rows) -> lostOnTheWay(arena, rows, Cut.REQUEST)),
                check("claim-lost-answer", 9, (arena, rows) -> lostOnTheWay(arena, rows, Cut.ANSWER)),
                check("completion-lost-request", 9, (arena, rows) -> lostCompletion(arena, rows, Cut.REQUEST)),
                check("completion-lost-answer", 9, (arena, rows) -> lostCompletion(arena, rows, Cut.ANSWER)));
    }

    private static Check check(String name, int count, Trial trial) {
        return new Check(7, name, arena -> {
            try (ClaimRows rows = arena.referee().rows(count, arena.lease())) {
                trial.run(arena, rows);
            }
        });
    }

    private static List<Long> claim(Client client, ClaimRows rows, int n) throws CheckFailed, NotOffered {
        Claimed claimed = client.claim(rows, n);
        CheckFailed.unless(claimed.error() == null, "a claim failed: " + claimed.error());
        return claimed.keys();
    }

    private static void expect(List<Long> wanted, List<Long> keys, String what) throws CheckFailed {
        CheckFailed.unless(wanted.equals(keys), what + " was to be of the rows " + wanted + ", and is of " + keys);
    }

    /** Asks again and again until these rows have come. The last try begins after the end. */
    private static void claimSoon(Client client, ClaimRows rows, List<Long> wanted, Duration within)
            throws CheckFailed, NotOffered, InterruptedException {
        long end = System.nanoTime() + within.toNanos();
        long tried = System.nanoTime();
        List<Long> keys = claim(client, rows, wanted.size());
        while (!keys.equals(wanted) && tried < end) {
            client.releaseClaim();
            Thread.sleep(PAUSE.toMillis());
            tried = System.nanoTime();
            keys = claim(client, rows, wanted.size());
        }
        expect(wanted, keys, "a claim within " + within.toMillis() + " ms");
    }

    private static void refuse(Client client, ClaimRows rows, Duration during, String why)
            throws CheckFailed, NotOffered, InterruptedException {
        long end = System.nanoTime() + during.toNanos();
        long tried;
        do {
            tried = System.nanoTime();
            List<Long> keys = claim(client, rows, 10);
            CheckFailed.unless(keys.isEmpty(), "the rows " + keys + " were claimed " + why);
            Thread.sleep(PAUSE.toMillis());
        } while (tried < end);
    }

    private static void requireDone(Changed changed, List<Long> done, List<Long> lost, String what) throws CheckFailed {
        CheckFailed.unless(
                changed.error() == null
                        && changed.done().equals(done)
                        && changed.lost().equals(lost),
                what + " was to change " + done + " and to find lost " + lost + "; the answer is " + changed);
    }

    private static void requireSame(List<Row> before, ClaimRows rows, String what) throws CheckFailed, SQLException {
        List<Row> now = rows.all();
        CheckFailed.unless(before.equals(now), what + ": the rows were " + before + " and are " + now);
    }

    private static void claim(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        RowClaims<RowKey> inJava = rows.inJava();
        expect(List.of(1L, 2L, 3L), claim(client, rows, 3), "a claim of the first three, in order,");
        requireEnd(rows, inJava);
        String token = rows.token(List.of(1L, 2L, 3L));
        CheckFailed.unless(
                token.matches("[0-9a-f]{32}"), "the token is '" + token + "', and not 32 hexadecimal digits");
        expect(List.of(4L, 5L), claim(other, rows, 2), "a claim of the rows that another client has left");
        CheckFailed.unless(!rows.token(List.of(4L, 5L)).equals(token), "two claims have the same token");
        Set<String> tokens = new HashSet<>(Set.of(token));
        for (int i = 0; i < 3; i++) {
            requireDone(client.releaseClaim(), List.of(1L, 2L, 3L), List.of(), "a release");
            expect(List.of(1L, 2L, 3L), claim(client, rows, 3), "a claim of released rows");
            CheckFailed.unless(
                    tokens.add(rows.token(List.of(1L, 2L, 3L))), "a token was used for a second claim: " + tokens);
        }
    }

    /** Java claims the rest at about the same time for as long, so that no clock but the database's is asked. */
    private static void requireEnd(ClaimRows rows, RowClaims<RowKey> inJava) throws CheckFailed, SQLException {
        try (Claim<RowKey> claim = inJava.claim(3)) {
            long until = rows.row(1).until();
            long difference = rows.row(claim.keys().get(0).asLong()).until() - until;
            CheckFailed.unless(
                    Math.abs(difference) < rows.lease().toMillis() / 2,
                    "a claim of " + rows.lease().toMillis() + " ms ends " + difference + " ms before one of Java's");
        }
    }

    private static void complete(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        claim(client, rows, 3);
        requireDone(client.complete(List.of(1L, 2L)), List.of(1L, 2L), List.of(), "a completion");
        Row first = rows.row(1);
        CheckFailed.unless(
                first.done() == 1 && first.token() == null && first.until() == 0,
                "a completed row was to be done once and to have no mark: " + first);
        CheckFailed.unless(rows.row(3).token() != null, "a completion has released a row that it did not name");
        requireDone(client.complete(List.of(1L)), List.of(), List.of(1L), "a second completion");
        requireDone(client.releaseClaim(), List.of(3L), List.of(), "a release of the rest");
        CheckFailed.unless(rows.row(3).token() == null, "a released row still has a token");
        CheckFailed.unless(rows.row(1).done() == 1, "a row was done twice");
        expect(List.of(3L, 4L), claim(two.get(1), rows, 10), "a claim of the rest");
    }

    /** The client is not told that its rows were taken away. */
    private static void fenced(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        List<Long> both = List.of(1L, 2L);
        expect(both, claim(client, rows, 2), "a claim");
        rows.release(rows.token(both));
        expect(both, claim(other, rows, 2), "a claim of rows that were released by force");
        List<Row> before = rows.all();
        requireDone(client.complete(both), List.of(), both, "a completion of another client's rows");
        requireSame(before, rows, "a client has completed another client's rows");
        Changed unused = client.releaseClaim();
        requireSame(before, rows, "a client has released another client's rows");
        requireDone(other.complete(both), both, List.of(), "a completion by the client that has the rows");
    }

    private static void joined(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        Client client = arena.client();
        claim(client, rows, 3);
        String token = rows.token(List.of(1L, 2L, 3L));
        requireDone(
                client.completeJoined(List.of(1L), false, Duration.ZERO),
                List.of(1L),
                List.of(),
                "a completion that is rolled back");
        Row first = rows.row(1);
        CheckFailed.unless(
                first.done() == 0 && token.equals(first.token()),
                "a completion was not rolled back with its transaction: " + first);
        requireDone(
                client.completeJoined(List.of(1L), true, Duration.ZERO),
                List.of(1L),
                List.of(),
                "a completion that is committed");
        CheckFailed.unless(rows.row(1).done() == 1, "a completion was not committed with its transaction");
        rows.release(token);
        requireDone(
                client.completeJoined(List.of(2L), true, Duration.ZERO),
                List.of(),
                List.of(2L),
                "a completion of rows that are not its own");
        CheckFailed.unless(rows.row(2).done() == 0, "a client has completed a row that was not its own");
    }

    /** A renewal finds the row locked for longer than a lease, and then completed. The others are renewed all the while. */
    private static void joinedLong(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        arena.requireRowLocks();
        Client client = arena.client();
        Duration lease = rows.lease();
        claim(client, rows, 3);
        Duration length = lease.plus(lease.dividedBy(2));
        requireDone(
                client.completeJoined(List.of(1L), true, length),
                List.of(1L),
                List.of(),
                "a completion in a transaction of " + length.toMillis() + " ms");
        CheckFailed.unless(rows.row(1).done() == 1, "a completion was not committed with its transaction");
        CheckFailed.unless(
                client.isClaimValid(), "rows were lost during a long transaction that completed another one");
        Thread.sleep(lease.toMillis());
        CheckFailed.unless(client.isClaimValid(), "a row counts as lost that was completed in a transaction");
        requireDone(client.complete(List.of(2L, 3L)), List.of(2L, 3L), List.of(), "a completion of the others");
    }

    /** Without a transaction the completion would commit alone, without the caller's other work. */
    private static void outside(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        Client client = arena.client();
        claim(client, rows, 2);
        for (List<String> statements : GuardChecks.OUTSIDE) {
            CheckFailed.unless(
                    client.refusesToCompleteAfter(statements, List.of(1L)),
                    "a completion joined a connection without a transaction, after " + statements);
        }
        CheckFailed.unless(rows.row(1).done() == 0, "a completion that was refused has completed a row");
        requireDone(client.complete(List.of(1L)), List.of(1L), List.of(), "a completion");
    }

    private static void deadline(Arena arena, ClaimRows rows)
            throws CheckFailed, CheckVoid, NotOffered, IOException, InterruptedException {
        Client client = arena.client();
        // Its connection is open, and it knows the table.
        claim(client, rows, 1);
        client.releaseClaim();
        client.proxy().delay(rows.lease().dividedBy(8));
        expect(List.of(1L, 2L), claim(client, rows, 2), "a claim");
        DeadlineChecks.requireEnd(arena, client, client::isClaimValid);
    }

    private static void renewal(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        List<Long> both = List.of(1L, 2L);
        expect(both, claim(client, rows, 2), "a claim");
        String token = rows.token(both);
        refuse(other, rows, rows.lease().multipliedBy(2), "while the client that has them lives");
        CheckFailed.unless(token.equals(rows.token(both)), "the claim was not renewed");
        CheckFailed.unless(client.isClaimValid(), "the client does not believe in a claim that was renewed");
        requireDone(client.complete(both), both, List.of(), "a completion after renewals");
    }

    private static void lossAfterPause(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        List<Long> both = List.of(1L, 2L);
        expect(both, claim(client, rows, 2), "a claim");
        client.pause();
        claimSoon(other, rows, both, rows.lease().multipliedBy(4));
        client.resume();
        CheckFailed.unless(
                !client.isClaimValid(), "a client that was stopped for a lease still believes in rows of another one");
        String token = rows.token(both);
        requireDone(client.complete(both), List.of(), both, "a completion after a pause");
        CheckFailed.unless(
                rows.row(1).done() == 0 && token.equals(rows.token(both)),
                "a client has changed rows that it had lost in a pause: " + rows.all());
        CheckFailed.unless(other.isClaimValid(), "the new holder does not believe in its claim");
        requireDone(other.complete(both), both, List.of(), "a completion by the new holder");
    }

    private static void lossWithoutDatabase(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, InterruptedException {
        Client client = arena.client();
        expect(List.of(1L, 2L), claim(client, rows, 2), "a claim");
        client.proxy().refuse(true);
        CheckFailed.unless(
                DeadlineChecks.isOver(arena, client::isClaimValid),
                "no renewal got through for a lease, and the client still believes in its claim");
    }

    private static void killed(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        expect(List.of(1L, 2L), claim(client, rows, 2), "a claim");
        client.kill();
        claimSoon(other, rows, List.of(1L, 2L), rows.lease().multipliedBy(4));
    }

    /** The client lives on, and must not keep rows that it could not release. */
    private static void locked(Arena arena, ClaimRows rows)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        arena.requireRowLocks();
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        List<Long> both = List.of(1L, 2L);
        expect(both, claim(client, rows, 2), "a claim");
        rows.whileLocked(
                1,
                () -> requireDone(client.releaseClaim(), List.of(2L), List.of(1L), "a release while a row is locked"));
        claimSoon(two.get(1), rows, both, rows.lease().multipliedBy(4));
    }

    /** For any answer of the client, the rows are its own, or free again within a lease. */
    private static void lostOnTheWay(Arena arena, ClaimRows rows, Cut cut)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        for (long first = 1; first <= 9; first += 3) {
            List<Long> three = List.of(first, first + 1, first + 2);
            // Its connection is open, so that the next thing that it sends is the claim.
            claim(client, rows, 1);
            client.releaseClaim();
            client.proxy().cut(cut);
            Claimed claimed = client.claim(rows, 3);
            if (claimed.error() == null) {
                expect(three, claimed.keys(), "a claim whose connection was cut");
                String unused = rows.token(three);
                requireDone(
                        client.complete(three), three, List.of(), "a completion of the rows that were claimed then");
            } else {
                claimSoon(other, rows, three, rows.lease().plusSeconds(1));
                requireDone(other.complete(three), three, List.of(), "a completion by another client");
            }
        }
        requireDoneOnce(rows);
    }

    /** The client may say that it does not know. It must not report a wrong outcome, and no row is done twice. */
    private static void lostCompletion(Arena arena, ClaimRows rows, Cut cut)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Client other = two.get(1);
        for (long first = 1; first <= 9; first += 3) {
            List<Long> three = List.of(first, first + 1, first + 2);
            expect(three, claim(client, rows, 3), "a claim");
            client.proxy().cut(cut);
            Changed changed = client.complete(three);
            List<Long> open = new ArrayList<>();
            for (Row row : rows.all().subList((int) first - 1, (int) first + 2)) {
                CheckFailed.unless(
                        !changed.done().contains(row.id()) || row.done() == 1,
                        "the client says that it has completed a row, and it has not: " + row);
                CheckFailed.unless(
                        !changed.lost().contains(row.id()) || row.done() == 0,
                        "the client says that it has not completed a row, and it has: " + row);
                if (row.done() == 0) {
                    open.add(row.id());
                }
            }
            client.releaseClaim();
            if (!open.isEmpty()) {
                claimSoon(other, rows, open, rows.lease().multipliedBy(4));
                requireDone(other.complete(open), open, List.of(), "a completion by another client");
            }
        }
        requireDoneOnce(rows);
    }

    static void requireDoneOnce(ClaimRows rows) throws CheckFailed, SQLException {
        for (Row row : rows.all()) {
            CheckFailed.unless(
                    row.done() == 1 && row.token() == null, "a row was to be done once and to have no mark: " + row);
        }
    }
}
