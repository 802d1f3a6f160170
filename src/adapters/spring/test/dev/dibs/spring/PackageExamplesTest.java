package dev.dibs.spring;

import dev.dibs.pages.PackageExamples;
import dev.dibs.pages.Reader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.JdbcTemplate;

/** The example of the package compiles. */
@Tag("unit")
public class PackageExamplesTest extends PackageExamples {

    /** The reader's template. */
    public static class Around extends Reader {

        protected static JdbcTemplate jdbc;
    }

    PackageExamplesTest() {
        super(
                Path.of("src", "adapters", "spring"),
                "dev.dibs.spring",
                Around.class,
                "org.springframework.transaction.annotation");
    }
}
