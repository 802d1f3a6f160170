package dev.dibs.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The jar for containers with the old package name of the API. */
@Tag("container")
class JavaxJarIT {

    @Test
    void nothingInItNamesTheNewApi() throws IOException {
        List<String> named = new ArrayList<>();
        List<String> old = new ArrayList<>();
        try (JarFile jar = new JarFile(System.getProperty("javax.jar"))) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                try (InputStream content = jar.getInputStream(entry)) {
                    String text = new String(content.readAllBytes(), StandardCharsets.ISO_8859_1);
                    if (text.contains("jakarta")) {
                        named.add(entry.getName());
                    }
                    if (text.contains("javax/servlet")) {
                        old.add(entry.getName());
                    }
                }
            }
            assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                    .isEqualTo("dev.dibs.web");
        }
        assertThat(named).isEmpty();
        assertThat(old).contains("dev/dibs/servlet/LockFilter.class", "dev/dibs/servlet/DibsContextListener.class");
    }
}
