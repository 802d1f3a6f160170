package dev.dibs.internal.sql.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Engines that report the product name of a known database and are another one, by {@code refused.properties}. */
public final class RefusedProducts {

    private static final String FILE = "dialects/refused.properties";
    private static final Pattern VALUE = Pattern.compile("(.+?) -> (.+)");
    private static final List<RefusedProduct> ALL = load();

    private record RefusedProduct(Pattern says, String why) {}

    private RefusedProducts() {}

    private static List<RefusedProduct> load() {
        try (InputStream in = RefusedProducts.class.getResourceAsStream(FILE)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return PropertyFile.parse(FILE, text).values().stream()
                    .map(RefusedProducts::product)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: " + FILE, e);
        }
    }

    private static RefusedProduct product(PropertyFile.Entry entry) {
        Matcher parts = VALUE.matcher(entry.value());
        if (!parts.matches()) {
            throw entry.refused("expected 'pattern -> why', found: " + entry.value());
        }
        return new RefusedProduct(Pattern.compile(parts.group(1), Pattern.CASE_INSENSITIVE), parts.group(2));
    }

    /**
     * Why an engine is refused; empty for one that is not known to be another.
     *
     * @param reported product and version as the driver reports them
     * @param version the engine's own text; empty if it was not asked
     */
    public static Optional<String> why(String reported, String version) {
        String text = reported + "\n" + version;
        return ALL.stream()
                .filter(product -> product.says().matcher(text).find())
                .map(RefusedProduct::why)
                .findFirst();
    }
}
