package dev.dibs.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stands between a client and a port of this machine, and misbehaves as a network may. Upstream is towards the server. */
public final class TcpProxy implements AutoCloseable {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final ServerSocket listener = new ServerSocket(0, 50, HERE);
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong answerLeft = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean dropUpstream;
    private volatile boolean dropDownstream;
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

    /** Swallows what clients send, and that they hang up: half of the connection stays open. */
    public void dropUpstream(boolean drop) {
        dropUpstream = drop;
    }

    /** Swallows what the server sends, and that it hangs up. */
    public void dropDownstream(boolean drop) {
        dropDownstream = drop;
    }

    /** Holds each piece for a while, in both directions. */
    public void delay(Duration each) {
        delay = each;
    }

    /** Lets this many bytes of answers through from now on, then resets all connections. */
    public void cutAfterAnswer(long bytes) {
        answerLeft.set(bytes);
    }

    /** Ends all present connections with RST in both directions; new ones are served. */
    public void reset() throws IOException {
        for (Socket socket : List.copyOf(sockets)) {
            sockets.remove(socket);
            hardClose(socket);
        }
    }

    /** Its own pump may be closing it at the same moment. */
    private static void hardClose(Socket socket) throws IOException {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            if (!socket.isClosed()) {
                throw e;
            }
        }
        socket.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
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
        sockets.add(client);
        try {
            Socket server = new Socket(HERE, target);
            sockets.add(server);
            start(() -> pump(client, server, true));
            start(() -> pump(server, client, false));
        } catch (IOException e) {
            client.close();
            sockets.remove(client);
        }
    }

    private void pump(Socket from, Socket to, boolean upstream) throws Exception {
        try {
            transfer(from.getInputStream(), to.getOutputStream(), upstream);
        } finally {
            if (!dropping(upstream)) {
                close(from);
                close(to);
            }
        }
    }

    private void transfer(InputStream in, OutputStream out, boolean upstream) throws Exception {
        byte[] buffer = new byte[8192];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            Thread.sleep(delay.toMillis());
            if (dropping(upstream)) {
                continue;
            }
            long left = upstream ? Long.MAX_VALUE : answerLeft.getAndAdd(-count);
            out.write(buffer, 0, (int) Math.min(count, left));
            if (left <= count) {
                answerLeft.set(Long.MAX_VALUE);
                reset();
            }
        }
    }

    private boolean dropping(boolean upstream) {
        return upstream ? dropUpstream : dropDownstream;
    }

    private void close(Socket socket) throws IOException {
        sockets.remove(socket);
        socket.close();
    }
}
