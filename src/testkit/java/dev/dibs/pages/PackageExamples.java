package dev.dibs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of each package of an adapter has an example, which compiles. */
public abstract class PackageExamples {

    private final Path source;
    private final Class<?> around;
    private final List<String> packages;

    /**
     * The examples of one package.
     *
     * @param module the folder of the adapter
     * @param name the package
     * @param around the reader's own fields
     * @param others the packages that its reader has imported besides
     */
    protected PackageExamples(Path module, String name, Class<?> around, String... others) {
        source = module.resolve("java").resolve(name.replace('.', '/')).resolve("package-info.java");
        this.around = around;
        packages = Stream.concat(Stream.of("dev.dibs", name), Stream.of(others)).toList();
    }

    @Test
    void theExampleOfThePackageCompiles(@TempDir Path classes) {
        List<Page.Block> blocks = Page.ofJavadoc(source).blocks("java");
        assertThat(blocks).isNotEmpty();
        assertThat(new JavaBlocks(classes, around, packages).refused(blocks)).isEmpty();
    }
}
