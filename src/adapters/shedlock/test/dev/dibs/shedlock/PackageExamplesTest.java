package dev.dibs.shedlock;

import dev.dibs.pages.PackageExamples;
import dev.dibs.pages.Reader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** The example of the package compiles. */
@Tag("unit")
class PackageExamplesTest extends PackageExamples {

    PackageExamplesTest() {
        super(
                Path.of("src", "adapters", "shedlock"),
                "dev.dibs.shedlock",
                Reader.class,
                "net.javacrumbs.shedlock.core");
    }
}
