package dev.dibs.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.dibs.DibsException;
import dev.dibs.internal.values.CheckReturnValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules for every author, so that no reviewer has to check them. */
@Tag("unit")
class HouseRulesTest {

    private static final int LONGEST_FILE = 400;

    /** The packages of the API: those that every module may use, and all of the adapters, which are no modules. */
    static final String[] EXPORTED = Stream.concat(
                    Sources.main("module-info.java").stream()
                            .flatMap(module -> Sources.lines(module).stream())
                            .filter(line -> line.strip().matches("exports \\S+;"))
                            .map(line -> line.strip().replaceAll("exports |;", "")),
                    Sources.main("package-info.java").stream()
                            .filter(file -> file.startsWith(Sources.ADAPTERS))
                            .map(file -> packageOf(file).toString().replace('/', '.')))
            .toArray(String[]::new);

    private static final Pattern SQL_TEXT = Pattern.compile(
            "\\b(SELECT|INSERT|INSERT INTO|UPDATE|DELETE|DELETE FROM|MERGE INTO|CREATE TABLE) [\\w{:*?]");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>.*?</dependency>");
    private static final Pattern PATH_OF_SOMEBODYS_MACHINE = Pattern.compile("(?<![\\w.])/(home|root|tmp|Users)/");

    private static final JavaClasses DIBS = Published.CLASSES;

    @Test
    void everyPackageHasADescription() {
        assertThat(DIBS.stream().map(type -> type.getPackageName().replaceAll(".*\\.", "")))
                .isNotEmpty()
                .doesNotContain("util", "utils", "common", "support", "misc", "helper");
    }

    /** But for the root of the exceptions, which is sealed. */
    @Test
    void publicClassesOfTheApiAreFinal() {
        classes()
                .that()
                .resideInAnyPackage(EXPORTED)
                .and()
                .arePublic()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .doNotBelongToAnyOf(DibsException.class)
                .should()
                .haveModifier(FINAL)
                .check(DIBS);
    }

    /** Such a method changes nothing, so a call that ignores its result does nothing. But start() returns the workers that it starts. */
    @Test
    void aMethodThatReturnsAnotherObjectOfItsTypeHasItsResultChecked() {
        assertThat(DIBS.stream()
                        .filter(type -> type.isInterface() && List.of(EXPORTED).contains(type.getPackageName()))
                        .filter(type -> !type.isAnnotatedWith(CheckReturnValue.class))
                        .flatMap(type -> type.getMethods().stream())
                        .filter(method -> method.getRawReturnType().equals(method.getOwner()))
                        .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC))
                        .filter(method -> !method.getName().equals("start"))
                        .filter(method -> !method.isAnnotatedWith(CheckReturnValue.class))
                        .map(JavaMethod::getFullName))
                .isEmpty();
    }

    @Test
    void nothingButTheirOwnPackagesKnowsOfServlets() {
        noClasses()
                .that()
                .resideInAnyPackage(LayersTest.CORE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.dibs.servlet..", "dev.dibs.console..", "jakarta.servlet..")
                .check(DIBS);
    }

    /** So that it runs in containers from Servlet 3.0 on, also with the old name of the API. */
    @Test
    void theServletPartNeedsNothingButTheContainer() {
        noClasses()
                .that()
                .resideInAPackage("dev.dibs.servlet")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "java..", "javax.sql..", "javax.naming..", "jakarta.servlet..", "dev.dibs..", "org.jspecify..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("jakarta\\.servlet\\.(http\\.)?(GenericFilter|HttpFilter|.*Mapping.*)")
                .check(DIBS);
    }

    /**
     * An application that does not mount the console has none of its dependencies. Its pages know neither servlets nor optional libraries.
     */
    @Test
    void onlyTheConsoleKnowsItsLibraries() {
        String console = "dev.dibs.console";
        noClasses()
                .that()
                .resideOutsideOfPackages(console, "dev.dibs.cli..", "dev.dibs.demo..", "dev.dibs.server..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(console)
                .check(DIBS);
        onlyThese(console, "jakarta.servlet..", "DibsConsole", "ConsoleAccess", "AccessCheck", "Requests");
        onlyThese(console, "com.google.gson..", "Json");
    }

    private static void onlyThese(String home, String library, String... names) {
        noClasses()
                .that()
                .resideInAPackage(home)
                .and(not(DescribedPredicate.describe(
                        "others", type -> List.of(names).contains(type.getSimpleName()))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(DIBS);
    }

    /** A virtual thread that waits inside of a synchronized block keeps its carrier. */
    @Test
    void nothingIsSynchronized() {
        noMethods().should().haveModifier(SYNCHRONIZED).check(DIBS);
        assertThat(linesOfMain(line -> line.contains("synchronized ("))).isEmpty();
    }

    /** A thread local that is not removed keeps a web application's class loader alive. */
    @Test
    void nothingIsLeftOnAThread() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(DIBS);
    }

    /** The thread of the JDK's timer keeps the class loader of its first user for ever. */
    @Test
    void nothingUsesTheTimerOfTheJdk() {
        Pattern timer = Pattern.compile("\\b(delayedExecutor|orTimeout|completeOnTimeout)\\(");
        assertThat(linesOfMain(line -> timer.matcher(line).find())).isEmpty();
    }

    @Test
    void onlyTheCommandAndTheDemoPrint() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.dibs.cli..", "dev.dibs.demo..")
                .should(ACCESS_STANDARD_STREAMS)
                .check(DIBS);
    }

    @Test
    void sqlStandsInFiles() {
        List<String> found = new ArrayList<>();
        for (Path file : Sources.main(".java")) {
            for (String literal : Sources.literals(file)) {
                if (SQL_TEXT.matcher(literal).find()) {
                    found.add(file + ": " + literal.strip());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void noFileIsLong() {
        List<String> found = new ArrayList<>();
        for (String suffix : List.of(".java", ".sql")) {
            for (Path file : Sources.all(suffix)) {
                int lines = Sources.lines(file).size();
                if (lines > LONGEST_FILE) {
                    found.add(file + ": " + lines + " lines");
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void noFileNamesAPlaceOnSomebodysMachine() {
        List<String> found = new ArrayList<>();
        for (String suffix : List.of(".java", ".sql", ".md", ".properties", ".xml", ".sh", ".tla", ".cfg")) {
            for (Path file : Sources.all(suffix)) {
                for (String line : Sources.lines(file)) {
                    if (PATH_OF_SOMEBODYS_MACHINE.matcher(line).find()) {
                        found.add(file + ": " + line.strip());
                    }
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /** The engine's packages are explained in docs/lab/map.md; {@code @NullMarked} stands at its module. */
    @Test
    void everyPackageButThoseOfTheEngineIsExplained() {
        List<Path> infos = Sources.all("package-info.java").stream()
                .map(HouseRulesTest::packageOf)
                .toList();
        assertThat(Sources.all(".java").stream()
                        .filter(file -> !file.endsWith("module-info.java"))
                        .map(HouseRulesTest::packageOf)
                        .filter(folder -> folder.startsWith("dev") && !folder.startsWith("dev/dibs/internal")))
                .isNotEmpty()
                .allMatch(infos::contains);
    }

    @Test
    void everyPublicTypeAndMethodOfTheApiIsExplained() {
        List<String> found = new ArrayList<>();
        for (String exported : EXPORTED) {
            Path folder = Path.of(exported.replace('.', '/'));
            for (Path file : Sources.main(".java")) {
                if (packageOf(file).equals(folder)) {
                    found.addAll(unexplained(file));
                }
            }
        }
        assertThat(EXPORTED).contains("dev.dibs", "dev.dibs.claims", "dev.dibs.servlet", "dev.dibs.spring");
        assertThat(found).isEmpty();
    }

    @Test
    void usersGetNoDependency() throws IOException {
        assertThat(given("core")).isEmpty();
        assertThat(given("web")).containsExactly("dibs");
    }

    /** The dependencies of the module's jar for its users. */
    private static List<String> given(String module) throws IOException {
        String pom = Files.readString(Path.of("src", module, "pom.xml"));
        List<String> all = DEPENDENCY
                .matcher(pom.substring(0, pom.indexOf("<build>")))
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(all).isNotEmpty();
        return all.stream()
                .filter(one -> !one.contains("<optional>true</optional>"))
                .map(one -> one.replaceAll("(?s).*<artifactId>(.*)</artifactId>.*", "$1"))
                .toList();
    }

    /** Public members stand at one indentation, below their comment and annotations; an overriding method needs no comment. */
    private static List<String> unexplained(Path file) {
        List<String> found = new ArrayList<>();
        List<String> lines = Sources.lines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("public ") || line.startsWith("    public ")) {
                int above = i - 1;
                while (above >= 0 && lines.get(above).strip().startsWith("@")) {
                    above--;
                }
                boolean overrides = lines.subList(above + 1, i).stream()
                        .anyMatch(l -> l.strip().startsWith("@Override"));
                if (!overrides && (above < 0 || !lines.get(above).strip().endsWith("*/"))) {
                    found.add(file + ": " + line.strip());
                }
            }
        }
        return found;
    }

    private static List<String> linesOfMain(Predicate<String> wanted) {
        return Sources.main(".java").stream()
                .flatMap(file -> Sources.lines(file).stream().filter(wanted).map(line -> file + ": " + line.strip()))
                .toList();
    }

    /** The package's folder below its source tree, such as dev/dibs. */
    static Path packageOf(Path file) {
        Path folder = file.getParent();
        for (int i = 0; i < folder.getNameCount() - 1; i++) {
            if (folder.getName(i).toString().equals("java")) {
                return folder.subpath(i + 1, folder.getNameCount());
            }
        }
        return folder;
    }
}
