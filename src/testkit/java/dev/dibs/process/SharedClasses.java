package dev.dibs.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The class path of child JVMs, with an archive of the classes that most of them load (JEP 350), which saves a third of the processor time
 * of a start. The archive is made in the background, once for each run of the tests. Children that start before it is ready go without.
 *
 * <p>A class path with an archive has jars only, so directories become jars.
 */
final class SharedClasses {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final List<String> WITHOUT = List.of("-cp", System.getProperty("java.class.path"));
    private static final CompletableFuture<List<String>> WITH = CompletableFuture.supplyAsync(SharedClasses::prepared);

    private SharedClasses() {}

    /** The options for the class path of a child that starts now. */
    static List<String> classPath() {
        return WITH.isCompletedExceptionally() ? WITHOUT : WITH.getNow(WITHOUT);
    }

    private static List<String> prepared() {
        try {
            Path folder = Files.createDirectories(Path.of(
                            "target",
                            "children",
                            String.valueOf(ProcessHandle.current().pid()))
                    .toAbsolutePath());
            // What is registered last is deleted first.
            folder.toFile().deleteOnExit();
            Path archive = folder.resolve("classes.jsa");
            String classPath = ofJars(folder);
            archive.toFile().deleteOnExit();
            try (ChildJvm training =
                    ChildJvm.startOn(classPath, List.of("-XX:ArchiveClassesAtExit=" + archive), QuickStartMain.class)) {
                return training.exitCode(PATIENCE) == 0 && Files.exists(archive)
                        ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-cp", classPath)
                        : WITHOUT;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String ofJars(Path folder) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            // An empty entry would be the whole project, and this jar in it.
            if (!entry.isEmpty() && Files.isDirectory(path)) {
                Path jar = folder.resolve(entries.size() + ".jar");
                pack(path, jar);
                jar.toFile().deleteOnExit();
                entries.add(jar.toString());
            } else {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void pack(Path directory, Path jar) throws IOException {
        try (OutputStream output = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(output);
                Stream<Path> files = Files.walk(directory)) {
            packed.setLevel(0);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                packed.putNextEntry(
                        new JarEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, packed);
                packed.closeEntry();
            }
        }
    }
}
