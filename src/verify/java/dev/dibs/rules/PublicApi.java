package dev.dibs.rules;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The types that a user sees. */
public final class PublicApi {

    private PublicApi() {}

    /** The public types of the packages that the library exports. */
    public static List<Class<?>> ofCore() throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (String name :
                List.of("dev.dibs", "dev.dibs.claims", "dev.dibs.once", "dev.dibs.runs", "dev.dibs.tokens")) {
            types.addAll(types("core", name));
        }
        return types;
    }

    /** The public types of a package of a module. */
    static List<Class<?>> types(String module, String name) throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        Path folder = Path.of("src", module, "java").resolve(name.replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            for (String file : files.map(path -> path.getFileName().toString()).toList()) {
                if (file.endsWith(".java") && !file.equals("package-info.java")) {
                    Class<?> type = Class.forName(name + "." + file.replace(".java", ""));
                    if (Modifier.isPublic(type.getModifiers())) {
                        types.add(type);
                    }
                }
            }
        }
        return types;
    }
}
