package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.runs.RunBuilder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every public method names an argument that is null. */
@Tag("contract")
@UsesDatabase(H2Database.class)
class NullArgumentsTest {

    private static final Map<Class<?>, Object> GIVEN = Map.of(
            String.class,
            "x",
            Object.class,
            "x",
            Duration.class,
            Duration.ofSeconds(1),
            java.util.Collection.class,
            List.of("x"),
            LeaseInfo.Kind[].class,
            new LeaseInfo.Kind[0],
            LocalTime.class,
            LocalTime.NOON,
            ZoneId.class,
            ZoneId.of("UTC"),
            int.class,
            1);

    private final List<String> wrong = new ArrayList<>();

    @Test
    void nullArgumentsAreNamed(TestDatabase database) throws Exception {
        try (Dibs dibs = Dibs.on(database.dataSource());
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            dibs.admin().createSchema();
            statement.execute("CREATE TABLE null_arguments (id VARCHAR(9) PRIMARY KEY, t VARCHAR(32), u BIGINT)");
            RowClaims<RowKey> claims = dibs.claims("null_arguments")
                    .key("id")
                    .token("t")
                    .until("u")
                    .build();
            RunBuilder<RowKey> run = dibs.run("null-arguments").over(claims);
            Lease lease = dibs.lock("null-arguments").acquire(Duration.ZERO);
            Leases leases = dibs.lockAll(List.of("null-arguments-2")).acquire(Duration.ZERO);
            lookAt(Dibs.class, null);
            lookAt(RowClaims.class, null);
            lookAt(RowKey.class, null);
            for (Object each : List.of(
                    Dibs.builder(database.dataSource()),
                    dibs,
                    dibs.lock("x"),
                    dibs.lockAll(List.of("x")),
                    dibs.semaphore("x", 1),
                    dibs.readWriteLock("x"),
                    dibs.readWriteLock("x").read(),
                    dibs.leadership("x"),
                    dibs.once("x"),
                    dibs.once("x").ever(),
                    dibs.tokens("x").pepper(new byte[32]),
                    dibs.claims("x"),
                    claims,
                    claims.claim(1),
                    dibs.run("x"),
                    run,
                    run.work(key -> {}),
                    lease,
                    leases)) {
                for (Class<?> type : apiOf(each.getClass())) {
                    lookAt(type, each);
                }
            }
            statement.execute("DROP TABLE null_arguments");
        }
        assertThat(wrong).isEmpty();
    }

    /** The type itself if it belongs to the API, else the interfaces of the API that it implements. */
    private static Set<Class<?>> apiOf(Class<?> type) {
        Set<Class<?>> found = new LinkedHashSet<>();
        if (!type.getPackageName().contains(".internal.")) {
            found.add(type);
        }
        List<Class<?>> above = new ArrayList<>(List.of(type.getInterfaces()));
        Optional.ofNullable(type.getSuperclass()).ifPresent(above::add);
        above.stream()
                .filter(each -> each.getName().startsWith("dev.dibs."))
                .forEach(each -> found.addAll(apiOf(each)));
        return found;
    }

    private void lookAt(Class<?> type, @Nullable Object target) throws IllegalAccessException {
        for (Method method : type.getDeclaredMethods()) {
            boolean isOfType = target == null;
            if (Modifier.isPublic(method.getModifiers())
                    && !method.isSynthetic()
                    && Modifier.isStatic(method.getModifiers()) == isOfType
                    && !method.getName().equals("equals")) {
                for (int i = 0; i < method.getParameterCount(); i++) {
                    if (!method.getParameterTypes()[i].isPrimitive()
                            && !method.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class)) {
                        call(method, target, i);
                    }
                }
            }
        }
    }

    private void call(Method method, @Nullable Object target, int nullAt) throws IllegalAccessException {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == nullAt ? null : given(method.getParameterTypes()[i]);
        }
        String what = method.toGenericString() + ", argument " + nullAt;
        try {
            method.invoke(target, arguments);
            wrong.add(what + " was taken");
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException)) {
                wrong.add(what + ": " + e.getCause());
            }
        }
    }

    private static @Nullable Object given(Class<?> type) {
        if (type.isInterface() && !GIVEN.containsKey(type)) {
            return Proxy.newProxyInstance(
                    NullArgumentsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> null);
        }
        return GIVEN.get(type);
    }
}
