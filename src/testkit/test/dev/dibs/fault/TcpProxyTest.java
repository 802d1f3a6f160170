package dev.dibs.fault;

import static org.awaitility.Awaitility.await;

import dev.dibs.junit.Closing;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("unit")
@Timeout(120)
class TcpProxyTest extends Closing {
    private ServerSocket listener;
    private TcpProxy proxy;
    private Socket client;
    private Socket server;

    @BeforeEach
    void connect() throws IOException {
        listener = closing(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        proxy = closing(TcpProxy.to(listener.getLocalPort()));
        client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        server = closing(listener.accept());
        closing(client);
    }

    @Test
    void passesBothWaysAndTheEnd() throws IOException {
        send(client, "ask");
        assertThat(receive(server, 3)).isEqualTo("ask");
        send(server, "answer");
        assertThat(receive(client, 6)).isEqualTo("answer");
        client.close();
        assertThat(server.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void dropsOneDirection() throws IOException {
        proxy.dropUpstream(true);
        send(client, "lost");
        assertHearsNothing(server);
        send(server, "answer");
        assertThat(receive(client, 6)).isEqualTo("answer");
        client.close();
        assertHearsNothing(server);
    }

    @Test
    void dropsTheOtherDirection() throws IOException {
        proxy.dropDownstream(true);
        send(server, "lost");
        await().until(() -> proxy.dropped() == "lost".length());
        assertHearsNothing(client);
        proxy.dropDownstream(false);
        send(server, "x");
        assertThat(receive(client, 1)).isEqualTo("x");
    }

    @Test
    void delays() throws IOException {
        proxy.delay(Duration.ofMillis(150));
        long start = System.nanoTime();
        send(client, "x");
        receive(server, 1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(149));
    }

    @Test
    void resets() throws IOException {
        send(client, "x");
        receive(server, 1);
        proxy.reset();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void cutsAnAnswerShort() throws IOException {
        proxy.cutAfterAnswer(3);
        send(server, "answer");
        assertThat(receive(client, 3)).isEqualTo("ans");
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void losesConnectionsForGood() throws IOException {
        proxy.lose(true);
        send(client, "lost");
        assertHearsNothing(server);
        send(server, "lost");
        assertHearsNothing(client);
        proxy.lose(false);
        assertHearsNothing(client);
        assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    void deliversHeldBytesLate() throws IOException {
        proxy.stall(true);
        send(client, "late");
        client.close();
        assertHearsNothing(server);
        proxy.stall(false);
        assertThat(receive(server, 4)).isEqualTo("late");
        assertThat(server.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void refuses() throws IOException {
        send(client, "x");
        receive(server, 1);
        proxy.refuse(true);
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        try (Socket another = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            assertThatThrownBy(() -> another.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void cutsTheAnswerToAText() throws IOException {
        proxy.cutAnswerTo("COMMIT");
        send(client, "ask");
        assertThat(receive(server, 3)).isEqualTo("ask");
        send(server, "answer");
        assertThat(receive(client, 6)).isEqualTo("answer");
        send(client, "a COMMIT");
        assertThat(receive(server, 8)).isEqualTo("a COMMIT");
        send(server, "done");
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String receive(Socket socket, int length) throws IOException {
        socket.setSoTimeout(60_000);
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    private static void assertHearsNothing(Socket socket) throws IOException {
        socket.setSoTimeout(300);
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
    }
}
