package dev.dibs.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that runs the client: it reads one line of JSON from its standard input for each request and writes one line of JSON for each
 * answer. Its standard error is shown as it is. For one thread.
 */
final class Client implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String ENDED = "";

    private final Process process;
    private final @Nullable CuttingProxy proxy;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private long sent;
    private volatile Duration slowest = Duration.ZERO;

    Client(List<String> command, Map<String, String> environment, @Nullable CuttingProxy proxy) throws IOException {
        this.proxy = proxy;
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        if (proxy != null) {
            builder.environment().put("DIBS_PORT", String.valueOf(proxy.port()));
        }
        process = builder.start();
        input = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "dibs-conformance-client");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().filter(line -> !line.isBlank()).forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            // It was killed.
        }
        lines.add(ENDED);
    }

    CuttingProxy proxy() throws NotOffered {
        if (proxy == null) {
            throw NotOffered.network();
        }
        return proxy;
    }

    private Duration delay() {
        return proxy == null ? Duration.ZERO : proxy.delay();
    }

    /** Waits until it answers at all: a client may take long to start. */
    void awaitStart() throws CheckFailed {
        send(request("valid"));
        String unused = line("valid", PATIENCE);
    }

    /** Its longest time for an answer, without waits that it was asked for or forced into. */
    Duration slowest() {
        return slowest;
    }

    /** The answer to an acquire. */
    record Acquired(boolean got, long fence, @Nullable String error) {}

    Acquired acquire(String name, Duration lease, Duration wait) throws CheckFailed, NotOffered {
        sendAcquire(name, lease, wait);
        return acquired(wait);
    }

    void sendAcquire(String name, Duration lease, Duration wait) throws CheckFailed {
        JsonObject request = request("acquire");
        request.addProperty("name", name);
        request.addProperty("leaseMillis", lease.toMillis());
        request.addProperty("waitMillis", wait.toMillis());
        send(request);
    }

    Acquired acquired(Duration wait) throws CheckFailed, NotOffered {
        JsonObject answer = answer("acquire", wait);
        String error = error(answer);
        boolean got = error == null && flag(answer, "got");
        return new Acquired(got, got ? number(answer, "fence") : 0, error);
    }

    boolean isValid() throws CheckFailed, NotOffered {
        send(request("valid"));
        return flag(answer("valid", Duration.ZERO), "valid");
    }

    /** Adds one to the counter in a guarded transaction that lasts so long. Returns false if the guard refused, or that failed. */
    boolean add(String table, Duration length) throws CheckFailed, NotOffered {
        sendAdd(table, length);
        return added(length);
    }

    void sendAdd(String table, Duration length) throws CheckFailed {
        JsonObject request = request("add");
        request.addProperty("table", table);
        request.addProperty("millis", length.toMillis());
        send(request);
    }

    /** Adds one in a transaction that locks the name for itself, without a lease. Returns false if it was busy, or that failed. */
    boolean addFree(String name, String table) throws CheckFailed, NotOffered {
        sendAddFree(name, table, Duration.ZERO);
        return added(Duration.ZERO);
    }

    void sendAddFree(String name, String table, Duration length) throws CheckFailed {
        JsonObject request = request("add_free");
        request.addProperty("name", name);
        request.addProperty("table", table);
        request.addProperty("millis", length.toMillis());
        send(request);
    }

    boolean added(Duration length) throws CheckFailed, NotOffered {
        JsonObject answer = answer("add", length);
        return !answer.has("error") && flag(answer, "added");
    }

    /** Whether it refuses to guard on a connection to which these statements were sent, and on which no transaction is open. */
    boolean refusesToGuardAfter(List<String> statements) throws CheckFailed, NotOffered {
        JsonObject request = request("guard_outside");
        request.add("after", texts(statements));
        send(request);
        return flag(answer("guard_outside", Duration.ZERO), "refused");
    }

    private static JsonArray texts(List<String> all) {
        JsonArray list = new JsonArray();
        all.forEach(list::add);
        return list;
    }

    boolean release() throws CheckFailed, NotOffered {
        send(request("release"));
        JsonObject answer = answer("release", Duration.ZERO);
        return !answer.has("error") && flag(answer, "released");
    }

    String consume(String purpose, String token) throws CheckFailed, NotOffered {
        JsonObject request = request("consume");
        request.addProperty("purpose", purpose);
        request.addProperty("token", token);
        send(request);
        JsonObject answer = answer("consume", Duration.ZERO);
        JsonElement status = answer.get("status");
        CheckFailed.unless(status != null, "the answer to 'consume' has no 'status': " + answer);
        return status.getAsString();
    }

    /**
     * The answer to a claim.
     *
     * @param keys in the order of the answer
     */
    record Claimed(List<Long> keys, @Nullable String error) {}

    /** The answer to a change of claimed rows. */
    record Changed(
            List<Long> done, List<Long> lost, @Nullable String error) {}

    Claimed claim(ClaimRows rows, int n) throws CheckFailed, NotOffered {
        JsonObject request = request("claim");
        request.addProperty("table", rows.name());
        request.addProperty("n", n);
        request.addProperty("leaseMillis", rows.lease().toMillis());
        send(request);
        JsonObject answer = answer("claim", Duration.ZERO);
        String error = error(answer);
        return new Claimed(error == null ? numbers(answer, "keys") : List.of(), error);
    }

    boolean isClaimValid() throws CheckFailed, NotOffered {
        send(request("claim_valid"));
        return flag(answer("claim_valid", Duration.ZERO), "valid");
    }

    Changed complete(List<Long> keys) throws CheckFailed, NotOffered {
        return changed(requestFor("complete", keys));
    }

    /** Completes rows in a transaction of the client's, which then stays open for so long. */
    Changed completeJoined(List<Long> keys, boolean commits, Duration length) throws CheckFailed, NotOffered {
        JsonObject request = requestFor("complete_joined", keys);
        request.addProperty("commit", commits);
        request.addProperty("millis", length.toMillis());
        return changed(request, length);
    }

    /** As {@link #refusesToGuardAfter}. */
    boolean refusesToCompleteAfter(List<String> statements, List<Long> keys) throws CheckFailed, NotOffered {
        JsonObject request = requestFor("complete_outside", keys);
        request.add("after", texts(statements));
        send(request);
        return flag(answer("complete_outside", Duration.ZERO), "refused");
    }

    /** Releases the rest of the claim. */
    Changed releaseClaim() throws CheckFailed, NotOffered {
        return changed(request("release_claim"));
    }

    private static JsonObject requestFor(String verb, List<Long> keys) {
        JsonObject request = request(verb);
        JsonArray list = new JsonArray();
        keys.forEach(list::add);
        request.add("keys", list);
        return request;
    }

    private Changed changed(JsonObject request) throws CheckFailed, NotOffered {
        return changed(request, Duration.ZERO);
    }

    private Changed changed(JsonObject request, Duration longer) throws CheckFailed, NotOffered {
        send(request);
        JsonObject answer = answer(request.get("do").getAsString(), longer);
        String error = error(answer);
        return error == null
                ? new Changed(numbers(answer, "done"), numbers(answer, "lost"), null)
                : new Changed(List.of(), List.of(), error);
    }

    private static JsonObject request(String verb) {
        JsonObject request = new JsonObject();
        request.addProperty("do", verb);
        return request;
    }

    private void send(JsonObject request) throws CheckFailed {
        sent = System.nanoTime();
        try {
            input.write(request + "\n");
            input.flush();
        } catch (IOException e) {
            throw new CheckFailed("the client has ended before it was sent " + request);
        }
    }

    private JsonObject answer(String verb, Duration longer) throws CheckFailed, NotOffered {
        String line = line(verb, PATIENCE.plus(longer));
        Duration taken =
                Duration.ofNanos(System.nanoTime() - sent).minus(longer).minus(delay());
        slowest = taken.compareTo(slowest) > 0 ? taken : slowest;
        JsonObject answer = parse(verb, line);
        if (answer.has("unsupported")) {
            throw NotOffered.verb(verb);
        }
        return answer;
    }

    private String line(String verb, Duration patience) throws CheckFailed {
        String line;
        try {
            line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckFailed("interrupted while the client was asked to '" + verb + "'");
        }
        CheckFailed.unless(line != null, "no answer to '" + verb + "' within " + patience.toSeconds() + " s");
        CheckFailed.unless(!ENDED.equals(line), "the client has ended in place of an answer to '" + verb + "'");
        return line;
    }

    private static JsonObject parse(String verb, String line) throws CheckFailed {
        try {
            JsonElement parsed = JsonParser.parseString(line);
            if (parsed.isJsonObject()) {
                return parsed.getAsJsonObject();
            }
        } catch (JsonParseException e) {
            // Said below.
        }
        String shown = line.length() > 100 ? line.substring(0, 100) + ".." : line;
        throw new CheckFailed("the answer to '" + verb + "' is no JSON object in one line: " + shown);
    }

    private static @Nullable String error(JsonObject answer) {
        return answer.has("error") ? answer.get("error").toString() : null;
    }

    private static boolean flag(JsonObject answer, String name) throws CheckFailed {
        JsonElement value = answer.get(name);
        boolean isFlag = value != null
                && value.isJsonPrimitive()
                && value.getAsJsonPrimitive().isBoolean();
        CheckFailed.unless(isFlag, "the answer has no '" + name + "' that is true or false: " + answer);
        return value.getAsBoolean();
    }

    private static long number(JsonObject answer, String name) throws CheckFailed {
        JsonElement value = answer.get(name);
        CheckFailed.unless(isNumber(value), "the answer has no '" + name + "' that is a number: " + answer);
        return value.getAsLong();
    }

    private static List<Long> numbers(JsonObject answer, String name) throws CheckFailed {
        JsonElement value = answer.get(name);
        boolean isList = value != null
                && value.isJsonArray()
                && value.getAsJsonArray().asList().stream().allMatch(Client::isNumber);
        CheckFailed.unless(isList, "the answer has no '" + name + "' that is a list of numbers: " + answer);
        return value.getAsJsonArray().asList().stream()
                .map(JsonElement::getAsLong)
                .toList();
    }

    private static boolean isNumber(@Nullable JsonElement value) {
        return value != null
                && value.isJsonPrimitive()
                && value.getAsJsonPrimitive().isNumber();
    }

    /** Stops it as a debugger, a suspended machine or a long collection of garbage would. */
    void pause() throws CheckFailed {
        signal("-STOP");
    }

    void resume() throws CheckFailed {
        signal("-CONT");
    }

    private void signal(String signal) throws CheckFailed {
        try {
            int exit = new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
            CheckFailed.unless(exit == 0, "kill " + signal + " failed");
        } catch (IOException e) {
            throw new CheckFailed("the command kill is needed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckFailed("interrupted");
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        kill();
        if (proxy != null) {
            proxy.close();
        }
    }
}
