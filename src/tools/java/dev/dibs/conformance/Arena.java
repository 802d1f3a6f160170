package dev.dibs.conformance;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The environment of one check: its clients, and names that are used by no other check. For one thread. */
final class Arena implements AutoCloseable {

    /** A machine on which fewer answers fit into a lease is too slow for that lease. */
    private static final int ANSWERS_IN_A_LEASE = 6;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<String> command;
    private final Map<String, String> environment;
    private final Address address;
    private final Referee referee;
    private final Duration lease;
    private final List<Client> clients = new ArrayList<>();
    private final Standstill standstill;

    /**
     * For one check.
     *
     * @param command starts a client
     * @param address where the database is
     * @param lease the length of the leases
     */
    Arena(List<String> command, Map<String, String> environment, Address address, Referee referee, Duration lease) {
        this(command, environment, address, referee, lease, new Standstill());
    }

    /** For tests: with a standstill of their own making. */
    Arena(
            List<String> command,
            Map<String, String> environment,
            Address address,
            Referee referee,
            Duration lease,
            Standstill standstill) {
        this.standstill = standstill;
        this.command = command;
        this.environment = environment;
        this.address = address;
        this.referee = referee;
        this.lease = lease;
    }

    Referee referee() {
        return referee;
    }

    /** How long the leases are. Longer, when a check is repeated. */
    Duration lease() {
        return lease;
    }

    /** The margin that every client keeps at the end of a lease of this length. */
    static Duration margin(Duration lease) {
        return Duration.ofMillis(Math.max(20, lease.toMillis() / 100));
    }

    /** Whether an answer of a client took so long, or this process stood still for so long, that a lease may have passed for that. */
    boolean isSlow() {
        return wanted().compareTo(lease) > 0;
    }

    /** The longest that a client has taken for an answer, or that this process stood still. */
    Duration slowest() {
        Duration still = Duration.ofNanos(standstill.longestNanos());
        return clients.stream()
                .map(Client::slowest)
                .reduce(still, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    /** A lease that would have been long enough for that. */
    Duration wanted() {
        return slowest().multipliedBy(ANSWERS_IN_A_LEASE);
    }

    /** Starts one more, and waits until it answers. It ends with the check. */
    Client client() throws IOException, CheckFailed {
        return clients(1).get(0);
    }

    /** Starts so many more at once. */
    List<Client> clients(int count) throws IOException, CheckFailed {
        List<Client> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, String> numbered = new HashMap<>(environment);
            numbered.put("DIBS_CLIENT", String.valueOf(clients.size()));
            started.add(new Client(command, numbered, proxy()));
            clients.add(started.get(i));
        }
        for (Client client : started) {
            client.awaitStart();
        }
        return started;
    }

    private @Nullable CuttingProxy proxy() throws IOException {
        return address.isFile() ? null : new CuttingProxy(address.host(), address.port());
    }

    /** For a check in which one writes while another one has a transaction open. */
    void requireRowLocks() throws NotOffered {
        if (address.isFile()) {
            throw NotOffered.rowLocks();
        }
    }

    /** Returns at that time by {@link System#nanoTime()}, or at once. */
    static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }

    String name() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return "conformance " + HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() throws IOException {
        standstill.close();
        for (Client client : clients) {
            client.close();
        }
    }
}
