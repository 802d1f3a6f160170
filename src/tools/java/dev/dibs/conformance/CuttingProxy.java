package dev.dibs.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Stands between one client and the database. On demand, it cuts connections or delays answers. */
final class CuttingProxy implements AutoCloseable {

    /** The message that is cut off, once. */
    enum Cut {
        NOTHING,
        /** The next request does not reach the database. */
        REQUEST,
        /** The next request reaches the database, and its answer gets lost. */
        ANSWER
    }

    private static final int BUFFER = 16_384;

    private final String host;
    private final int port;
    private final ServerSocket listener;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Cut> next = new AtomicReference<>(Cut.NOTHING);
    private volatile boolean refusing;
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean once;
    private volatile long requested;
    private volatile @Nullable Delayed delayed;
    private volatile @Nullable Delayed passedOn;

    CuttingProxy(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The next request of the client meets this. */
    void cut(Cut cut) {
        next.set(cut);
    }

    /**
     * An answer that had to wait.
     *
     * @param requested when the client had sent the last request that it answers, by {@link System#nanoTime()}
     * @param answered when it was sent on to the client, just before
     */
    record Delayed(long requested, long answered) {}

    /** From now on each answer waits until so long after its request. */
    void delay(Duration length) {
        delay(length, false);
    }

    /** The next answer waits until so long after its request. */
    void delayNext(Duration length) {
        delay(length, true);
    }

    private void delay(Duration length, boolean onlyNext) {
        delayed = null;
        passedOn = null;
        once = onlyNext;
        delay = length;
    }

    /** How long each answer waits now. */
    Duration delay() {
        return delay;
    }

    /** The last answer that had to wait and was sent on since {@link #delay}; null if there is none within that time. */
    @Nullable
    Delayed awaitDelayed(Duration within) throws InterruptedException {
        long end = System.nanoTime() + within.toNanos();
        while (passedOn == null && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        return passedOn;
    }

    /** The last answer that had to wait since {@link #delay}, whether or not it has reached the client; null if there is none. */
    @Nullable
    Delayed lastDelayed() {
        return delayed;
    }

    /** Returns when the answer that was just read may go on; null if it need not wait. */
    private @Nullable Delayed awaitTurn() {
        Duration length = delay;
        if (length.isZero()) {
            return null;
        }
        long since = requested;
        long due = since + length.toNanos();
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        if (once) {
            delay = Duration.ZERO;
        }
        return new Delayed(since, System.nanoTime());
    }

    /** Ends all connections and every new one, until this is over. */
    void refuse(boolean refuse) {
        refusing = refuse;
        if (refuse) {
            links.forEach(Link::end);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        links.forEach(Link::end);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // The connection has ended, which both sides see for themselves.
                    }
                },
                "dibs-conformance-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            start(() -> connect(client));
        }
    }

    private void connect(Socket client) throws IOException {
        try (client;
                Socket server = new Socket(host, port)) {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Link link = new Link(client, server);
            links.add(link);
            try {
                if (!refusing) {
                    start(link::answers);
                    link.requests();
                }
            } finally {
                links.remove(link);
            }
        }
    }

    /** One connection of the client's, and the one to the database that belongs to it. */
    private final class Link {

        private final Socket client;
        private final Socket server;
        private volatile boolean doomed;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void requests() throws IOException {
            byte[] piece = new byte[BUFFER];
            InputStream from = client.getInputStream();
            OutputStream to = server.getOutputStream();
            for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
                requested = System.nanoTime();
                Cut cut = next.getAndSet(Cut.NOTHING);
                if (cut == Cut.REQUEST) {
                    break;
                }
                doomed |= cut == Cut.ANSWER;
                to.write(piece, 0, count);
            }
            end();
        }

        void answers() throws IOException {
            byte[] piece = new byte[BUFFER];
            InputStream from = server.getInputStream();
            OutputStream to = client.getOutputStream();
            for (int count = from.read(piece); count >= 0 && !doomed; count = from.read(piece)) {
                Delayed late = awaitTurn();
                // First, so that the client cannot act on an answer that the referee does not know of.
                delayed = late == null ? delayed : late;
                to.write(piece, 0, count);
                passedOn = late == null ? passedOn : late;
            }
            end();
        }

        void end() {
            for (Socket socket : new Socket[] {client, server}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // It has ended already.
                }
            }
        }
    }
}
