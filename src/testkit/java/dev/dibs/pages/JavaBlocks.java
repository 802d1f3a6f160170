package dev.dibs.pages;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles blocks of Java as a reader would paste them: a file, members of a class, or statements of a method. Two dots between blanks
 * stand for code that is left out. A block with imports gets no others. A block that begins with a dot goes on from {@code builder}.
 */
public final class JavaBlocks {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;.*$");
    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("(?m)^public (?:final |abstract )?(?:class|record|interface|enum) (\\w+)");
    private static final Pattern LEFT_OUT = Pattern.compile("(?<=\\s)\\.\\.(?=\\s)");
    private static final List<String> STATIC_IMPORTS =
            List.of("java.time.Duration.ofMillis", "java.time.Duration.ofMinutes", "java.time.Duration.ofSeconds");

    /** One for all tasks: it remembers what is in the jars. */
    private final StandardJavaFileManager jars = COMPILER.getStandardFileManager(null, null, null);

    private final Path classes;
    private final Class<?> around;
    private final List<String> packages;

    /**
     * Compiles with the class path of this JVM.
     *
     * @param classes the folder for what is compiled
     * @param around the reader's own fields and methods, which the blocks use
     * @param packages whose types an editor would import
     */
    public JavaBlocks(Path classes, Class<?> around, List<String> packages) {
        this.classes = classes;
        this.around = around;
        this.packages = packages;
    }

    /** What the compiler refuses in these blocks, each with its page. Each block is a package of its own: block0, block1, .. */
    public List<String> refused(List<Page.Block> blocks) {
        List<JavaFileObject> files = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            files.add(file(blocks.get(i), "block" + i));
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        task(found, files).call();
        return errors(found)
                .map(error -> (error.getSource() instanceof Text text ? text.block + ": " : "") + error.getMessage(null)
                        + "\n" + line(error))
                .toList();
    }

    private JavaFileObject file(Page.Block block, String home) {
        String code = LEFT_OUT.matcher(block.code()).replaceAll("");
        String own = IMPORT.matcher(code).results().map(found -> found.group()).collect(Collectors.joining("\n"));
        String rest = IMPORT.matcher(code).replaceAll("");
        if (rest.startsWith(".")) {
            rest = "builder" + rest + ";";
        }
        String head = "package " + home + ";\n" + (own.isEmpty() ? imports() : own) + "\n";
        String open = head + "class Block extends " + around.getCanonicalName() + " {\n";
        List<Text> forms = List.of(
                new Text(
                        block,
                        home + "/Block",
                        open + "Object run() throws Exception { if (here()) {\n" + rest + "\n} return null; }}"),
                new Text(block, home + "/Block", open + rest + "}"),
                new Text(block, home + "/" + type(rest), head + rest));
        if (PUBLIC_TYPE.matcher(rest).find()) {
            return forms.get(2);
        }
        return forms.stream().filter(this::parses).findFirst().orElse(forms.get(0));
    }

    private String imports() {
        return Stream.of(
                        packages.stream().map(name -> "import " + name + ".*;"),
                        STATIC_IMPORTS.stream().map(name -> "import static " + name + ";"),
                        Stream.of("import static " + around.getCanonicalName() + ".*;"))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n"));
    }

    private static String type(String code) {
        Matcher type = PUBLIC_TYPE.matcher(code);
        return type.find() ? type.group(1) : "Block";
    }

    private boolean parses(Text text) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try {
            task(found, List.of(text)).parse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return errors(found).findAny().isEmpty();
    }

    private JavacTask task(DiagnosticCollector<JavaFileObject> found, List<JavaFileObject> files) {
        List<String> options = List.of(
                "-proc:none", "-parameters", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        return (JavacTask) COMPILER.getTask(null, jars, found, options, null, files);
    }

    private static Stream<Diagnostic<? extends JavaFileObject>> errors(DiagnosticCollector<JavaFileObject> found) {
        return found.getDiagnostics().stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR);
    }

    private static String line(Diagnostic<? extends JavaFileObject> error) {
        return error.getSource() instanceof Text text && error.getLineNumber() > 0
                ? text.code.lines().skip(error.getLineNumber() - 1).findFirst().orElse("")
                : "";
    }

    private static final class Text extends SimpleJavaFileObject {

        private final Page.Block block;
        private final String code;

        Text(Page.Block block, String name, String code) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.block = block;
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignored) {
            return code;
        }
    }
}
