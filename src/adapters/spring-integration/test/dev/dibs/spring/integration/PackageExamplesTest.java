package dev.dibs.spring.integration;

import dev.dibs.pages.PackageExamples;
import dev.dibs.pages.Reader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** The example of the package compiles. */
@Tag("unit")
class PackageExamplesTest extends PackageExamples {

    PackageExamplesTest() {
        super(
                Path.of("src", "adapters", "spring-integration"),
                "dev.dibs.spring.integration",
                Reader.class,
                "java.util.concurrent.locks",
                "org.springframework.integration.support.locks");
    }
}
