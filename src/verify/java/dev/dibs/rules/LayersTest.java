package dev.dibs.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The allowed dependencies between the parts of Dibs. */
@Tag("unit")
class LayersTest {

    /** The API of the library: interfaces, values, exceptions. */
    private static final String[] API = {
        "dev.dibs", "dev.dibs.claims", "dev.dibs.once", "dev.dibs.runs", "dev.dibs.tokens"
    };

    /** The API and its implementation. */
    static final String[] CORE =
            Stream.concat(Stream.of(API), Stream.of("dev.dibs.internal..")).toArray(String[]::new);

    /** The entry of an application: only these know both the API and the engine. */
    private static final DescribedPredicate<JavaClass> ENTRY =
            belongToAnyOf(Dibs.class, DibsBuilder.class, Dialect.class);

    private static final int LARGEST_CIRCLE = 3;

    private static final JavaClasses DIBS = Published.CLASSES;

    /** The entry, the rest of the API, and each other package. */
    @Test
    void packagesDoNotGoRoundInCircles() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        if (ENTRY.test(type)) {
                            return SliceIdentifier.of("entry");
                        }
                        return SliceIdentifier.of(
                                List.of(API).contains(type.getPackageName()) ? "API" : type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "the entry, the API, and each other package";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(DIBS);
    }

    /** So an application can fake any type of the API except the entry. */
    @Test
    void theApiKnowsNothingOfTheEngine() {
        noClasses()
                .that()
                .resideInAnyPackage(API)
                .and(not(ENTRY))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.dibs.internal..").and(not(resideInAPackage("dev.dibs.internal.values"))))
                .check(DIBS);
    }

    /** A link in a comment needs an import, too, and is in no class file. */
    @Test
    void commentsOfTheApiKnowNothingOfTheEngine() {
        List<String> found = Sources.main(".java").stream()
                .filter(file -> List.of(API).contains(packageOf(file)))
                .filter(file -> !List.of("Dibs.java", "DibsBuilder.java", "Dialect.java")
                        .contains(file.getFileName().toString()))
                .flatMap(file -> Sources.lines(file).stream()
                        .filter(line -> line.startsWith("import dev.dibs.internal.")
                                && !line.startsWith("import dev.dibs.internal.values."))
                        .map(line -> file + ": " + line))
                .toList();
        assertThat(found).isEmpty();
    }

    /** Such as dev.dibs.claims. */
    private static String packageOf(Path file) {
        return Sources.lines(file).stream()
                .filter(line -> line.startsWith("package "))
                .map(line -> line.replaceAll("package |;", ""))
                .findFirst()
                .orElse("");
    }

    /** The roots of tests are compiled together, so the compiler does not see it. */
    @Test
    void unitTestsKnowNothingOfContracts() {
        Map<String, String> verify = Sources.files(Path.of("src", "verify", "java"), ".java").stream()
                .filter(file -> !file.endsWith("package-info.java"))
                .collect(Collectors.toMap(LayersTest::nameOf, LayersTest::packageOf));
        List<String> found = new ArrayList<>();
        for (String module : List.of("core", "web", "tools", "testkit")) {
            for (Path file : Sources.files(Path.of("src", module, "test"), ".java")) {
                String text = String.join("\n", Sources.lines(file));
                String ours = packageOf(file);
                verify.forEach((name, home) -> {
                    boolean imported = text.contains("import " + home + "." + name + ";");
                    boolean beside = ours.equals(home)
                            && Pattern.compile("\\b" + name + "\\b")
                                    .matcher(text)
                                    .find();
                    if (imported || beside) {
                        found.add(file + ": " + name);
                    }
                });
            }
        }
        assertThat(verify).isNotEmpty();
        assertThat(found).isEmpty();
    }

    private static String nameOf(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    /** In the library only: the parts of the command name each other in their annotations. */
    @Test
    void noManyClassesNeedEachOther() {
        assertThat(Circles.among(DIBS.that(resideInAnyPackage(CORE))))
                .isNotEmpty()
                .allMatch(circle -> circle.size() <= LARGEST_CIRCLE);
    }

    @Test
    void theStatementsKnowNothingOfTheApi() {
        noClasses()
                .that()
                .resideInAPackage("dev.dibs.internal.sql..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API)
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.dibs.cli..", "dev.dibs.console..", "dev.dibs.demo..")
                .check(DIBS);
    }

    /** An adapter is a piece that can be deleted with its folder. */
    @Test
    void nothingKnowsOfTheAdapters() {
        String[] adapters = Sources.main("package-info.java").stream()
                .filter(file -> file.startsWith(Sources.ADAPTERS))
                .map(file -> packageOf(file))
                .toArray(String[]::new);
        assertThat(adapters).contains("dev.dibs.spring");
        noClasses()
                .that()
                .resideOutsideOfPackages(adapters)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(adapters)
                .check(DIBS);
    }

    /** Except two classes, for applications that provide their optional library. */
    @Test
    void theLibraryNeedsNothingButTheJdk() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE)
                .and()
                .doNotHaveFullyQualifiedName("dev.dibs.internal.once.OnceCron")
                .and()
                .doNotHaveFullyQualifiedName("dev.dibs.internal.wake.PgNotifications")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "java..", "javax.crypto..", "javax.sql..", "javax.management..", "dev.dibs..", "org.jspecify..")
                .check(DIBS);
    }

    /** A user may keep a run or a builder in a map: its hash code must not change with the workers that it knows. */
    @Test
    void noImplementationOfTheApiHasALiveSetInItsHashCode() {
        List<String> found = DIBS.stream()
                .filter(JavaClass::isRecord)
                .filter(type -> type.getAllRawInterfaces().stream()
                        .anyMatch(api -> List.of(API).contains(api.getPackageName())))
                .flatMap(type -> type.getFields().stream())
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field -> field.getRawType().isAssignableTo(Set.class)
                        || field.getRawType().isAssignableTo(Map.class)
                        || field.getRawType().isAssignableTo(Queue.class))
                .map(JavaField::getFullName)
                .toList();
        assertThat(found).isEmpty();
    }
}
