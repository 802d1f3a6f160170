package dev.dibs.contract.locks.process;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.Permit;
import dev.dibs.contract.support.Ledger;
import dev.dibs.process.ChildPool;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The threads of a process take turns in each race until they are told to stop, and each at least {@link #FEWEST}. */
public final class RacerMain {

    /** Longer than any race: a standstill costs nobody a lease. Not every ledger is guarded. */
    private static final Duration LEASE = Duration.ofMinutes(10);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FEWEST = 3;

    private final HikariDataSource pool;
    private final Dibs dibs;
    private final Race race;
    private final String name;
    private final String table;
    private final int process;
    private final Random random;
    private final List<AtomicInteger> turns = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger visits = new AtomicInteger();
    private volatile boolean over;

    private RacerMain(HikariDataSource pool, Dibs dibs, Race race, String name, String table, int process) {
        this.pool = pool;
        this.dibs = dibs;
        this.race = race;
        this.name = race.in(name);
        this.table = race.in(table);
        this.process = process;
        this.random = new Random(process);
    }

    /** Arguments: url, user, password, name, table, number of the process. */
    public static void main(String[] args) throws Exception {
        int process = Integer.parseInt(args[5]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (HikariDataSource pool = ChildPool.open(args, 8);
                Dibs dibs = Dibs.builder(pool)
                        .leaseLength(LEASE)
                        .holder(holder(args[3], process))
                        .build()) {
            List<RacerMain> racers = Stream.of(Race.values())
                    .map(race -> new RacerMain(pool, dibs, race, args[3], args[4], process))
                    .toList();
            System.out.println("READY");
            if (input.readLine() == null) {
                return;
            }
            racers.forEach(RacerMain::start);
            input.readLine();
            racers.forEach(racer -> racer.over = true);
            for (RacerMain racer : racers) {
                for (Thread thread : racer.threads) {
                    thread.join();
                }
            }
            System.out.println("DONE");
        }
    }

    /** The label of a process in its rows. */
    static String holder(String name, int process) {
        return name + " racer " + process;
    }

    private void start() {
        for (int number = 0; number < race.threads; number++) {
            int thread = number;
            turns.add(new AtomicInteger());
            threads.add(new Thread(() -> race(thread)));
        }
        threads.forEach(Thread::start);
    }

    private void race(int thread) {
        try {
            while (!over || turns.get(thread).get() < FEWEST) {
                turn(thread, turns.get(thread).incrementAndGet());
            }
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            System.out.println("FAILED " + e);
        }
    }

    private void turn(int thread, int turn) throws Exception {
        switch (race) {
            case LOCK -> write(dibs.lock(name), turn % 2 == 0);
            case FAIR -> write(dibs.lock(name).fair(), true);
            case PERMIT -> visitSlot();
            case READ_WRITE -> visitLock(thread == 0);
            case SEVERAL -> visitSeveral();
        }
    }

    private void write(Acquirable<?> lock, boolean guarded) throws SQLException {
        Ledger ledger = new Ledger(table);
        try (Lease lease = lock.acquire(PATIENCE)) {
            if (guarded) {
                lease.inTransaction(pool, tx -> ledger.write(tx, lease.fencingToken()));
            } else {
                ledger.write(pool, lease.fencingToken());
            }
            System.out.println(race + " " + lease.fencingToken());
        }
    }

    private void visitSlot() throws Exception {
        try (Permit permit = dibs.semaphore(name, Race.PERMITS).acquire(PATIENCE)) {
            visit(List.of(ledgers().get(permit.slot())), List.of(permit), true);
        }
    }

    private void visitLock(boolean writes) throws Exception {
        Acquirable<?> lock = writes
                ? dibs.readWriteLock(name).write()
                : dibs.readWriteLock(name).read();
        try (Lease lease = lock.acquire(PATIENCE)) {
            visit(ledgers(), List.of(lease), writes);
        }
        Thread.sleep(writes ? 20 : 0);
    }

    private void visitSeveral() throws Exception {
        List<Integer> locks =
                new ArrayList<>(IntStream.range(0, Race.LOCKS).boxed().toList());
        Collections.shuffle(locks, random);
        List<Integer> wanted = locks.subList(0, 2 + random.nextInt(2));
        try (Leases leases =
                dibs.lockAll(wanted.stream().map(lock -> name + lock).toList()).acquire(PATIENCE)) {
            visit(
                    wanted.stream().map(ledgers()::get).toList(),
                    wanted.stream().map(lock -> leases.get(name + lock)).toList(),
                    true);
        }
    }

    private List<SharedLedger> ledgers() {
        return SharedLedger.of(race, table);
    }

    private void visit(List<SharedLedger> ledgers, List<? extends Lease> leases, boolean writes) throws Exception {
        String id = process + "-" + visits.incrementAndGet();
        for (int i = 0; i < ledgers.size(); i++) {
            ledgers.get(i).in(pool, id, process, writes, leases.get(i).fencingToken());
        }
        Thread.sleep(1);
        for (SharedLedger ledger : ledgers) {
            ledger.out(pool, id);
        }
    }
}
