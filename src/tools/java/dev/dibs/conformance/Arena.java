package dev.dibs.conformance;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Where one check takes place: its clients, and names that nobody else uses. For one thread. */
final class Arena implements AutoCloseable {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<String> command;
    private final Map<String, String> environment;
    private final String host;
    private final int port;
    private final Referee referee;
    private final List<Client> clients = new ArrayList<>();

    /**
     * For one check.
     *
     * @param command starts a client
     * @param host where the database listens
     */
    Arena(List<String> command, Map<String, String> environment, String host, int port, Referee referee) {
        this.command = command;
        this.environment = environment;
        this.host = host;
        this.port = port;
        this.referee = referee;
    }

    Referee referee() {
        return referee;
    }

    /** Starts one more. It ends with the check. */
    Client client() throws IOException {
        Map<String, String> numbered = new HashMap<>(environment);
        numbered.put("DIBS_CLIENT", String.valueOf(clients.size()));
        Client client = new Client(command, numbered, new CuttingProxy(host, port));
        clients.add(client);
        return client;
    }

    String name() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return "conformance " + HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.close();
        }
    }
}
