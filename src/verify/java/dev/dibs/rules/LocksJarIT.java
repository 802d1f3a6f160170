package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar with the classifier {@code locks}: small, complete for locks, and with clear messages about everything that it leaves out. */
@Tag("unit")
class LocksJarIT {

    private static final long LARGEST = 450 * 1024;

    private static final List<Path> JAR = List.of(Path.of(System.getProperty("locks.jar")));

    private static final String SHOP = """
            package shop;

            import dev.dibs.*;
            import java.time.Duration;
            import java.util.List;
            import java.util.function.Supplier;
            import javax.sql.DataSource;

            public final class Shop {
                public static String open(DataSource dataSource) throws Exception {
                    try (Dibs dibs = Dibs.on(dataSource)) {
                        Admin admin = dibs.admin();
                        admin.createSchema(Capability.LOCKS, Capability.SEMAPHORES, Capability.READ_WRITE_LOCKS);
                        admin.checkSchema(Capability.LOCKS);
                        Dialect.names().forEach(name -> Dialect.named(name).ddl());
                        try (Lease door = dibs.lock("door").acquire(Duration.ofSeconds(5));
                                Leases both = dibs.lockAll(List.of("till", "safe")).acquire(Duration.ofSeconds(5));
                                Lease seat = dibs.semaphore("seats", 2).acquire(Duration.ofSeconds(5));
                                Lease page = dibs.readWriteLock("book").read().acquire(Duration.ofSeconds(5))) {
                            int known = admin.locks().size();
                            door.inTransaction(dataSource, tx -> {});
                            admin.doctor();
                            return known + " " + refused(() -> dibs.claims("books"))
                                    + refused(() -> dibs.tokens("t")) + refused(() -> dibs.once("o")) + refused(() -> dibs.run("r"));
                        }
                    }
                }

                private static String refused(Supplier<Object> capability) {
                    try {
                        return "has " + capability.get();
                    } catch (DibsException e) {
                        return e.getMessage().contains("classifier 'locks'") ? "refused " : e.getMessage();
                    }
                }
            }
            """;

    @Test
    void isSmall() throws IOException {
        assertThat(Files.size(JAR.get(0))).isLessThanOrEqualTo(LARGEST);
    }

    @Test
    void servesAModuleThatUsesLocks(@TempDir Path folder) throws Exception {
        assertThat(ModuleTest.open(ModuleTest.asModule(folder, "dev.dibs", SHOP, JAR)))
                .isEqualTo("3 refused refused refused refused ");
    }

    @Test
    void servesAnApplicationOnTheClassPath(@TempDir Path folder) throws Exception {
        assertThat(ModuleTest.open(ModuleTest.onClassPath(folder, SHOP, JAR)))
                .isEqualTo("3 refused refused refused refused ");
    }
}
