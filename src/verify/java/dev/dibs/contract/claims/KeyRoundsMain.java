package dev.dibs.contract.claims;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.KeyType;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

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
                KeyRounds rounds = new KeyRounds(table, type.values().size(), one.dibs(), other.dibs(), one.pool());
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
}
