package dev.dibs.internal.sql.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The place of a dialect's statement files: inside the jar, or in a folder of the user's.
 *
 * @param name the dialect's, which is the folder's
 * @param resource the folder inside the jar; null for one of the user's
 * @param path the user's folder; null for one inside the jar
 */
public record DialectFolder(
        String name, @Nullable String resource, @Nullable Path path) {

    /** The standard form of every statement. */
    public static final DialectFolder STANDARD = new DialectFolder("sql", "standard", null);

    /** The fragment that names another dialect, its base. The dialect then overlays the base, which overlays the standard. */
    static final String BASE = "base";

    /**
     * A dialect of the library.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public static DialectFolder named(String name) {
        if (!Products.dialects().contains(name)) {
            throw new IllegalArgumentException("there is no dialect '" + name + "'; there are " + Products.dialects());
        }
        return new DialectFolder(name, "dialects/" + name, null);
    }

    /**
     * A dialect in the user's own folder.
     *
     * @throws IllegalArgumentException if the folder has no {@code dialect.sql}
     */
    public static DialectFolder at(Path path) {
        if (!Files.isRegularFile(path.resolve("dialect.sql"))) {
            throw new IllegalArgumentException(path + " is not a dialect: it has no dialect.sql");
        }
        return new DialectFolder(path.getFileName().toString(), null, path);
    }

    /** Whether it is in the jar, so that it cannot change. */
    public boolean isOfLibrary() {
        return path == null;
    }

    /** Reads {@code stem.sql}; a missing file is like an empty one. */
    StatementFile read(String stem) {
        String file = stem + ".sql";
        return StatementFile.parse(name + "/" + file, text(file));
    }

    /** Reads a file of properties; a missing file is like an empty one. */
    public Map<String, PropertyFile.Entry> properties(String file) {
        return PropertyFile.parse(name + "/" + file, text(file));
    }

    /** The standard form, then the dialect's base if there is one, with its own base below it, then the dialect itself. */
    public List<DialectFolder> layers() {
        String base = read("dialect").fragments.getOrDefault(BASE, "");
        List<DialectFolder> layers =
                new ArrayList<>(base.isEmpty() ? List.of(STANDARD) : named(base).layers());
        layers.add(this);
        return List.copyOf(layers);
    }

    /** The contracts in these files. The dialect's remarks about its own form follow the standard contract. */
    public Map<String, String> contracts(List<String> files) {
        Map<String, String> contracts = new LinkedHashMap<>();
        for (DialectFolder layer : layers()) {
            for (String file : files) {
                Map<String, String> own = layer.read(file).contracts;
                own.forEach((name, text) ->
                        contracts.merge(name, text, (standard, more) -> (standard + "\n" + more).strip()));
            }
        }
        return contracts;
    }

    private String text(String file) {
        if (path == null) {
            return textOfJar(resource + "/" + file);
        }
        try {
            Path found = path.resolve(file);
            return Files.isRegularFile(found) ? Files.readString(found) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(name + "/" + file + " cannot be read", e);
        }
    }

    private static String textOfJar(String file) {
        try (InputStream in = DialectFolder.class.getResourceAsStream(file)) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    /** Reads a file of properties that is no dialect's. */
    static Map<String, PropertyFile.Entry> ofJar(String file) {
        return PropertyFile.parse(file, textOfJar(file));
    }

    @Override
    public String toString() {
        return name;
    }
}
