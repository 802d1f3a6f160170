package dev.dibs.cdi;

import dev.dibs.pages.PackageExamples;
import dev.dibs.pages.Reader;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;

/** The example of the package compiles. */
@Tag("unit")
public class PackageExamplesTest extends PackageExamples {

    /** The reader's own method. */
    public static class Around extends Reader {

        protected static void markShipped(long id) throws SQLException {}
    }

    PackageExamplesTest() {
        super(Path.of("src", "adapters", "cdi"), "dev.dibs.cdi", Around.class, "jakarta.transaction", "java.sql");
    }
}
