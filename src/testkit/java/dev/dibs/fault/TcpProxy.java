package dev.dibs.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Between a client and a port of this machine; it misbehaves as a network may. Upstream is towards the server. */
public final class TcpProxy implements AutoCloseable {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final ServerSocket listener = new ServerSocket(0, 50, HERE);
    private final int target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong answerLeft = new AtomicLong(Long.MAX_VALUE);
    private final AtomicReference<String> fatal = new AtomicReference<>();
    private volatile CountDownLatch stall = new CountDownLatch(0);
    private volatile boolean dropUpstream;
    private volatile boolean dropDownstream;
    private volatile boolean refusing;
    private volatile boolean losing;
    private volatile Duration delay = Duration.ZERO;

    private TcpProxy(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    public static TcpProxy to(int port) throws IOException {
        return new TcpProxy(port);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Drops what clients send, and their disconnects: half of the connection stays open. */
    public void dropUpstream(boolean drop) {
        dropUpstream = drop;
    }

    /** Drops what the server sends, and its disconnects. */
    public void dropDownstream(boolean drop) {
        dropDownstream = drop;
    }

    /** How many bytes it has dropped or lost so far. */
    long dropped() {
        return dropped.get();
    }

    /**
     * Forgets all connections, as a firewall does: everything sent over them is dropped, in both directions, for good, and neither end is
     * notified. New ones have the same fate until this is over. Then the server learns that its clients have gone, as its next probe would
     * show, but the clients do not.
     */
    public void lose(boolean lose) throws IOException {
        losing = lose;
        for (Link link : links) {
            if (lose) {
                link.lost = true;
            } else if (link.lost) {
                hardClose(link.server);
            }
        }
    }

    /** Ends all connections, and every new one, until this is over. */
    public void refuse(boolean refuse) throws IOException {
        refusing = refuse;
        if (refuse) {
            reset();
        }
    }

    /** Holds everything that is sent until this is over, and delivers it then, even if the sender has given up meanwhile. */
    public void stall(boolean hold) {
        stall.countDown();
        if (hold) {
            stall = new CountDownLatch(1);
        }
    }

    /** Delays each piece, in both directions. */
    public void delay(Duration each) {
        delay = each;
    }

    /** Lets this many bytes of answers through from now on, then resets all connections. */
    public void cutAfterAnswer(long bytes) {
        answerLeft.set(bytes);
    }

    /** Resets the next connection over which a client sends this text, as soon as the server answers to it; null for none. */
    public void cutAnswerTo(String text) {
        fatal.set(text);
    }

    /** Ends all present connections with RST in both directions; new ones are served. */
    public void reset() throws IOException {
        for (Link link : links) {
            link.reset();
        }
    }

    /** Its own pump may be closing it at the same moment. */
    private static void hardClose(Socket socket) throws IOException {
        endHard(socket);
        socket.close();
    }

    /** With RST, whichever thread closes it. */
    private static void endHard(Socket socket) throws SocketException {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            if (!socket.isClosed()) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        stall(false);
        reset();
    }

    private interface Work {
        void run() throws Exception;
    }

    /** An error here only means that a connection has ended. */
    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Exception e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "tcp-proxy");
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
        try {
            Socket server = new Socket(HERE, target);
            // As databases and their drivers set it; else a text sent in pieces is sometimes delayed by tens of
            // milliseconds.
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Link link = new Link(client, server);
            links.add(link);
            if (refusing) {
                link.reset();
                return;
            }
            if (losing) {
                link.lost = true;
            }
            start(() -> link.pump(true));
            start(() -> link.pump(false));
        } catch (IOException e) {
            client.close();
        }
    }

    /** One connection of a client, and its connection to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean lost;
        private volatile boolean doomed;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pump(boolean upstream) throws Exception {
            Socket from = upstream ? client : server;
            Socket to = upstream ? server : client;
            try {
                transfer(from.getInputStream(), to.getOutputStream(), upstream);
            } finally {
                if (lost) {
                    from.close();
                } else if (!dropping(upstream)) {
                    from.close();
                    to.close();
                }
                if (client.isClosed() && server.isClosed()) {
                    links.remove(this);
                }
            }
        }

        private void transfer(InputStream in, OutputStream out, boolean upstream) throws Exception {
            byte[] buffer = new byte[8192];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                // A sleep is in whole milliseconds.
                LockSupport.parkNanos(delay.toNanos());
                stall.await();
                if (dropping(upstream) || lost) {
                    dropped.addAndGet(count);
                    continue;
                }
                if (upstream && isFatal(new String(buffer, 0, count, StandardCharsets.ISO_8859_1))) {
                    doomed = true;
                } else if (!upstream && doomed) {
                    reset();
                }
                long left = upstream ? Long.MAX_VALUE : answerLeft.getAndAdd(-count);
                out.write(buffer, 0, (int) Math.min(count, left));
                if (left <= count) {
                    answerLeft.set(Long.MAX_VALUE);
                    TcpProxy.this.reset();
                }
            }
        }

        void reset() throws IOException {
            links.remove(this);
            // Both before either is closed: its pump then closes the other one.
            endHard(client);
            endHard(server);
            client.close();
            server.close();
        }
    }

    private boolean isFatal(String piece) {
        String text = fatal.get();
        return text != null && piece.contains(text) && fatal.compareAndSet(text, null);
    }

    private boolean dropping(boolean upstream) {
        return upstream ? dropUpstream : dropDownstream;
    }
}
