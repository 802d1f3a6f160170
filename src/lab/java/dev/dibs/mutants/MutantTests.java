package dev.dibs.mutants;

import dev.dibs.internal.sql.files.EffectiveTexts;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests of one database again and again, in a process of its own. Each line of its input names some tests, which are run in that order
 * until the first is red.
 */
public final class MutantTests {

    static final String STARTED = "@STARTED ";
    static final String PASSED = "@PASSED ";
    static final String RED = "@RED ";
    static final String END = "@END";

    private MutantTests() {}

    /** Argument: the database's name. */
    public static void main(String[] args) throws Exception {
        System.setProperty("dibs.databases", args[0]);
        System.setProperty("dibs.full", "true");
        Map<String, Class<?>> tests = Contracts.byTest();
        Launcher launcher = LauncherFactory.create(LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .build());
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            // Another mutant may be in force now.
            EffectiveTexts.readAgain();
            CancellationToken token = CancellationToken.create();
            for (String name : line.split(" ", -1)) {
                if (!token.isCancellationRequested()) {
                    run(launcher, token, tests.get(name), name);
                }
            }
            System.out.println(END);
        }
        System.exit(0);
    }

    private static void run(Launcher launcher, CancellationToken token, Class<?> contract, String name) {
        LauncherDiscoveryRequest discovery = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectMethod(contract, method(contract, name)))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .configurationParameter("junit.jupiter.execution.timeout.test.method.default", "45 s")
                .build();
        UntilRed listener = new UntilRed(token);
        launcher.execute(LauncherExecutionRequestBuilder.request(discovery)
                .cancellationToken(token)
                .listeners(listener)
                .build());
        if (!listener.any) {
            // A test of a contract for another database.
            System.out.println(PASSED + name + " 0");
        }
    }

    /** By its name alone, an engine would look for a method without parameters. */
    private static Method method(Class<?> contract, String name) {
        return Arrays.stream(contract.getDeclaredMethods())
                .filter(method -> name.endsWith("." + method.getName()) && Contracts.isTest(method))
                .findFirst()
                .orElseThrow();
    }

    private static final class UntilRed implements TestExecutionListener {
        private final CancellationToken token;
        private long began;
        private boolean any;

        UntilRed(CancellationToken token) {
            this.token = token;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            began = System.nanoTime();
            if (test.isTest()) {
                any = true;
                System.out.println(STARTED + name(test));
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            String name = name(test) + " " + (System.nanoTime() - began) / 1_000_000;
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                if (!token.isCancellationRequested()) {
                    token.cancel();
                    System.out.println(
                            RED + name + " " + shown(result.getThrowable().orElse(null)));
                }
            } else if (test.isTest()) {
                System.out.println(PASSED + name);
            }
        }

        private static String name(TestIdentifier test) {
            // A test with parameters shows their values only.
            return test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(source -> (MethodSource) source)
                    .map(source -> source.getJavaClass().getSimpleName() + "." + source.getMethodName())
                    .orElse(test.getDisplayName().replaceAll("\\s", "_"));
        }

        private static String shown(Throwable error) {
            String text = error == null ? "" : error.toString().replaceAll("\\s+", " ");
            String at = error == null
                    ? ""
                    : Arrays.stream(error.getStackTrace())
                            .filter(frame -> frame.getClassName().startsWith("dev.dibs.contract")
                                    || frame.getClassName().startsWith("dev.dibs.database"))
                            .map(frame -> " at line " + frame.getLineNumber())
                            .findFirst()
                            .orElse("");
            return (text.length() > 160 ? text.substring(0, 160) + ".." : text) + at;
        }
    }
}
