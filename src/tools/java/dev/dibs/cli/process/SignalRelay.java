package dev.dibs.cli.process;

import dev.dibs.cli.terminal.Terminal;
import dev.dibs.cli.verb.ExitCode;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes signals on to the command that dibs runs.
 *
 * <p>Before the command runs, a signal interrupts the thread that waits for the lock. Ctrl-C in a terminal reaches the command by itself
 * and is not passed on, since two may have another meaning than one.
 *
 * <p>The JVM uses USR2 itself to stop threads, which only profilers ask for: from outside it would crash the JVM. So it is caught
 * {@linkplain #endInOrder before all else}.
 *
 * <p>A shutdown hook cannot replace this class: it does not know the signal, and the JVM ends with the signal's exit code instead of the
 * command's. The class {@code sun.misc.Signal} is used by reflection, as the compiler has a warning for it that cannot be turned off.
 * Without that class dibs works, but does not pass signals on.
 */
public final class SignalRelay {

    /** Signals that end the JVM in another way, or crash it. */
    private static final List<String> FOREIGN = List.of("USR1", "USR2");

    private static final Map<String, Integer> SIGNALS = Map.of("HUP", 1, "INT", 2, "TERM", 15, "USR1", 10, "USR2", 12);

    private final Thread waiting;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Process command;
    private @Nullable String received;

    private SignalRelay(Thread waiting) {
        this.waiting = waiting;
    }

    /** Catches the signals of this JVM from now on. The calling thread is the one that waits for the lock. */
    public static SignalRelay install() {
        SignalRelay relay = new SignalRelay(Thread.currentThread());
        SIGNALS.keySet().forEach(signal -> handle(signal, () -> relay.received(signal)));
        return relay;
    }

    /**
     * From now on USR1 and USR2 end this JVM as TERM does, with the signal's exit code. Call it in the first line of the program: before,
     * both have their usual effect on a JVM.
     */
    public static void endInOrder() {
        FOREIGN.forEach(signal -> handle(signal, () -> System.exit(exitCode(signal))));
    }

    /** From now on these do nothing: Ctrl-C goes to all processes of a terminal. */
    public static void ignore(String... signals) {
        for (String signal : signals) {
            handle(signal, () -> {});
        }
    }

    private static void handle(String signal, Runnable action) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    handlerType.getClassLoader(), new Class<?>[] {handlerType}, new Handler(signal, action));
            type.getMethod("handle", type, handlerType)
                    .invoke(null, type.getConstructor(String.class).newInstance(signal), handler);
        } catch (ReflectiveOperationException e) {
            // A system without this signal, or a JVM that uses it itself.
        }
    }

    private record Handler(String signal, Runnable action) implements InvocationHandler {

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "handler of " + signal;
                default -> {
                    action.run();
                    yield null;
                }
            };
        }
    }

    private void received(String signal) {
        lock.lock();
        try {
            if (command != null) {
                forward(command, signal);
            } else if (received == null) {
                received = signal;
                waiting.interrupt();
            } else {
                // The second request to end, while the database does not answer.
                Runtime.getRuntime().halt(exitCode(signal));
            }
        } finally {
            lock.unlock();
        }
    }

    private static int exitCode(String signal) {
        return ExitCode.SIGNAL + SIGNALS.get(signal);
    }

    /** The exit code for a signal that came before the command ran. Clears the interrupt that it has caused. */
    public Optional<Integer> received() {
        lock.lock();
        try {
            if (received != null && Thread.currentThread() == waiting) {
                Thread.interrupted();
            }
            return Optional.ofNullable(received).map(SignalRelay::exitCode);
        } finally {
            lock.unlock();
        }
    }

    /** From now on signals are passed on to this process; a signal that has come already, at once. */
    void to(Process process) {
        lock.lock();
        try {
            command = process;
            if (received().isPresent()) {
                forward(process, received);
            }
        } finally {
            lock.unlock();
        }
    }

    private static void forward(Process process, String signal) {
        if (signal.equals("INT") && Terminal.interruptsAll()) {
            return;
        }
        if (signal.equals("TERM")) {
            process.destroy();
        } else if (process.isAlive()) {
            send(signal, process.pid());
        }
    }

    private static void send(String signal, long pid) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            // A system without kill: the command does not get the signal.
        }
    }
}
