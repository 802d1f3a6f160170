package dev.dibs.micrometer;

import dev.dibs.pages.PackageExamples;
import dev.dibs.pages.Reader;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** The example of the package compiles. */
@Tag("unit")
public class PackageExamplesTest extends PackageExamples {

    /** The reader's registry. */
    public static class Around extends Reader {

        protected static MeterRegistry registry;
    }

    PackageExamplesTest() {
        super(Path.of("src", "adapters", "micrometer"), "dev.dibs.micrometer", Around.class);
    }
}
