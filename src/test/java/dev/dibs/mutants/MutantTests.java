package dev.dibs.mutants;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the contracts of one database, in a process of their own, until the first of them is red. */
public final class MutantTests {

    private MutantTests() {}

    /** Arguments: the database's test class, a pattern for the contracts' names. Prints {@code RED test} or {@code GREEN n}. */
    public static void main(String[] args) throws Exception {
        Class<?> tests = Class.forName(args[0]);
        LauncherDiscoveryRequest discovery = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors(tests, Pattern.compile(args[1])))
                .configurationParameter("junit.jupiter.execution.timeout.test.method.default", "90 s")
                .build();
        CancellationToken token = CancellationToken.create();
        FirstFailure first = new FirstFailure(token);
        LauncherFactory.create()
                .execute(LauncherExecutionRequestBuilder.request(discovery)
                        .cancellationToken(token)
                        .listeners(first)
                        .build());
        System.out.println(first.verdict());
        System.exit(0);
    }

    private static List<DiscoverySelector> selectors(Class<?> tests, Pattern contracts) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        Arrays.stream(tests.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .filter(method -> contracts
                        .matcher(method.getDeclaringClass().getSimpleName())
                        .matches())
                // Races take longest and see least.
                .sorted(Comparator.comparing(MutantTests::isRace).thenComparing(Method::getName))
                .forEach(method -> selectors.add(DiscoverySelectors.selectMethod(tests, method)));
        return selectors;
    }

    private static boolean isRace(Method method) {
        return method.getDeclaringClass().getSimpleName().contains("Race");
    }

    private static final class FirstFailure implements TestExecutionListener {
        private final CancellationToken token;
        private String red = "";
        private int green;

        FirstFailure(CancellationToken token) {
            this.token = token;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED && red.isEmpty()) {
                red = test.getDisplayName();
                token.cancel();
            } else if (test.isTest()) {
                green++;
            }
        }

        String verdict() {
            return red.isEmpty() ? "GREEN " + green : "RED " + red;
        }
    }
}
