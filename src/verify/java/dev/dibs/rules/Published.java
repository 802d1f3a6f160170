package dev.dibs.rules;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of the published jars, read from where they are compiled to, whatever a class loader knows. */
final class Published {

    static final JavaClasses CLASSES = new ClassFileImporter()
            .importPaths("src/core/target/classes", "src/web/target/classes", "src/tools/target/classes");

    private Published() {}
}
