package dev.dibs.contract.claims;

import static dev.dibs.contract.support.Expectations.failIf;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.KeyType;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A JVM in a time zone of its own, which sends keys of all types through all operations on claims. */
public final class KeyRoundsMain {
    /** The sessions of a pool, all with the same settings. */
    private record Sessions(HikariDataSource pool, Dibs dibs, String settings) {

        static Sessions open(String[] args, String settings) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(args[1]);
            config.setUsername(args[2]);
            config.setPassword(args[3]);
            config.setMaximumPoolSize(4);
            config.setConnectionInitSql(settings);
            HikariDataSource pool = new HikariDataSource(config);
            return new Sessions(pool, Dibs.on(pool), String.valueOf(settings));
        }

        void close() {
            dibs.close();
            pool.close();
        }
    }

    private final TestDatabase database;
    private final List<Sessions> sessions;
    private final String prefix;
    private int count;

    private KeyRoundsMain(TestDatabase database, List<Sessions> sessions, String prefix) {
        this.database = database;
        this.sessions = sessions;
        this.prefix = prefix;
    }

    /** Arguments: the database's name, its url, user, password, a prefix of names, and whether one type of time is enough. */
    public static void main(String[] args) throws Exception {
        Logger.getLogger("dev.dibs").setLevel(Level.OFF);
        TestDatabase database = TestDatabases.all().stream()
                .filter(one -> one.name().equals(args[0]))
                .findAny()
                .orElseThrow();
        List<Sessions> sessions = new ArrayList<>(List.of(Sessions.open(args, null)));
        database.keys().sessions().forEach(settings -> sessions.add(Sessions.open(args, settings)));
        KeyRoundsMain main = new KeyRoundsMain(database, sessions, args[4]);
        List<KeyType> types = database.keys().types().stream()
                .filter(type -> !type.values().isEmpty())
                .toList();
        if (args[5].equals("true")) {
            types = types.stream().filter(KeyType::hasManyValues).limit(1).toList();
        }
        for (KeyType type : types) {
            main.alone(type);
            main.withNumber(type);
        }
        sessions.forEach(Sessions::close);
        System.out.println("ENDED");
    }

    private void alone(KeyType type) throws Exception {
        try (KeyTable table = table("id " + type.type() + " NOT NULL", "id")) {
            for (String value : type.values()) {
                table.insertText(value);
            }
            rounds(type, "alone", table);
        }
    }

    private void withNumber(KeyType type) throws Exception {
        try (KeyTable table = table("no bigint NOT NULL, id " + type.type() + " NOT NULL", "no, id")) {
            for (String value : type.values()) {
                table.insertText("7, " + value);
            }
            rounds(type, "with a number", table);
        }
    }

    private KeyTable table(String columns, String key) throws Exception {
        return new KeyTable(sessions.get(0).pool(), prefix + ++count, database::quoted, columns, key);
    }

    /** Times in all sessions, other types in one, another one for each type. Runs and the claim table in that one. */
    private void rounds(KeyType type, String how, KeyTable table) throws Exception {
        int chosen = count % sessions.size();
        for (int i = 0; i < sessions.size(); i++) {
            if (i == chosen || type.hasManyValues()) {
                Sessions one = sessions.get(i);
                Sessions other = sessions.get((i + 1) % sessions.size());
                Rounds rounds = new Rounds(table, type.values().size(), one.dibs(), other.dibs(), one.pool());
                rounds.claims();
                if (i == chosen) {
                    rounds.besides();
                    rounds.runs(prefix + "run" + count);
                }
                report(type, how + ", " + one.settings(), rounds.faults());
            }
        }
    }

    private static void report(KeyType type, String how, List<String> faults) {
        faults.forEach(fault -> System.out.println("FAULT " + type.type() + ", " + how + ", " + fault));
    }

    /** Sends the keys of a table through all operations on claims, from two sessions with other settings, and lists what went wrong. */
    private static final class Rounds {
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
        Rounds(KeyTable table, int rows, Dibs one, Dibs other, DataSource pool) {
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
                    expect(
                            "the keys there",
                            Set.copyOf(found.keys()).equals(Set.copyOf(claim.keys())) ? rows : 0,
                            rows);
                    expect("complete there", found.complete(claim.keys()), rows);
                    expect("complete again", claim.complete(), 0);
                }
            });
        }

        private void inParts() {
            try (Claim<RowKey> claim = here.claim(rows)) {
                List<RowKey> first = claim.keys().subList(0, 1);
                List<RowKey> rest = claim.keys().subList(1, rows);
                expect("renew", claim.renew(), rows);
                expect(
                        "isHeld",
                        (int) claim.keys().stream().filter(claim::isHeld).count(),
                        rows);
                expect("release", claim.release(first), 1);
                expect(
                        "isHeld after it",
                        (int) claim.keys().stream().filter(claim::isHeld).count(),
                        rows - 1);
                expect("postpone", claim.postpone(rest, Duration.ZERO), rows - 1);
                expect("release by the token", here.release(claim.token()).size(), 0);
            }
            try (Claim<RowKey> claim = here.claim(rows)) {
                expect("complete", claim.complete(), rows);
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
                            failIf(failed.add(key));
                        })) {
                    await(workers.start());
                }
                expect("calls of the work", calls.get(), 2 * rows);
            });
            round("a run with dead rows", () -> {
                try (RunWorkers<RowKey> workers =
                        one.run(name + "-dead").over(here).maxAttempts(1).work(key -> failIf(true))) {
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
}
