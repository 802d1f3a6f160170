package dev.dibs.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A module of the reactor.
 *
 * @param folder where its pom.xml is
 * @param pom the text of that
 */
record Module(Path folder, String pom) {

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");

    /** The version of all modules. */
    static String version() throws IOException {
        return VERSION.matcher(Files.readString(Path.of("pom.xml")))
                .results()
                .findFirst()
                .map((MatchResult version) -> version.group(1))
                .orElseThrow();
    }

    /** All modules, those of profiles included; the first is the root. */
    static List<Module> all() throws IOException {
        List<Module> found = new ArrayList<>();
        add(Path.of(""), found);
        return found;
    }

    /** Those whose jars are published. */
    static List<Module> published() throws IOException {
        return all().stream().filter(Module::isPublishedJar).toList();
    }

    private static void add(Path folder, List<Module> found) throws IOException {
        Module module = new Module(folder, Files.readString(folder.resolve("pom.xml")));
        found.add(module);
        List<String> below = MODULE.matcher(module.pom())
                .results()
                .map(name -> name.group(1))
                .distinct()
                .toList();
        for (String name : below) {
            add(folder.resolve(name), found);
        }
    }

    String artifact() {
        return ARTIFACT.matcher(PARENT.matcher(pom).replaceFirst(""))
                .results()
                .findFirst()
                .map((MatchResult name) -> name.group(1))
                .orElseThrow();
    }

    private boolean isPublishedJar() {
        return !pom.contains("<packaging>pom</packaging>")
                && !pom.contains("<maven.deploy.skip>true</maven.deploy.skip>");
    }
}
