package dev.dibs.rules;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of the published jars, read from where they are compiled to, whatever a class loader knows. */
final class Published {

    static final JavaClasses CLASSES = new ClassFileImporter()
            .importPaths(Sources.published().stream()
                    .map(module -> module.resolve("target").resolve("classes"))
                    .toList());

    private Published() {}
}
