package dev.dibs.cdi.quarkus;

import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabases;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The same application on PostgreSQL. */
@Tag("flow")
@QuarkusTest
@TestProfile(OnPostgresTest.Profile.class)
class OnPostgresTest extends LedgerTest {

    /** Another kind of data source is another build of the application. */
    public static final class Profile implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.datasource.db-kind", "postgresql");
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(Server.class));
        }
    }

    /** The server of this process. */
    public static final class Server implements QuarkusTestResourceLifecycleManager {

        @Override
        public Map<String, String> start() {
            PostgresDatabase database = TestDatabases.get(PostgresDatabase.class);
            return Map.of(
                    "quarkus.datasource.jdbc.url", database.url(),
                    "quarkus.datasource.username", database.user());
        }

        @Override
        public void stop() {}
    }
}
