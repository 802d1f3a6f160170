package dev.dibs.examples;

import dev.dibs.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs what pages show for other languages and for the shell. */
final class Scripts {

    private static final long PATIENCE_SECONDS = 300;

    private Scripts() {}

    /** The exit code, and all output. */
    record Result(int exitCode, String output) {
        boolean isOk() {
            return exitCode == 0;
        }
    }

    /** Runs a command in a folder; not found is exit code 127. */
    static Result run(Path folder, String... command) throws IOException, InterruptedException {
        return run(new ProcessBuilder(command), folder);
    }

    /** Runs lines of a shell that stops at the first error, and has dibs, on the H2 file demo of the folder. */
    static Result withDibs(Path folder, String lines) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String command = "dibs() { '" + java + "' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp \"$DIBS_CLASSES\" "
                + Main.class.getName() + " \"$@\"; }\n";
        ProcessBuilder shell = new ProcessBuilder("bash", "-e", "-c", command + lines);
        shell.environment().put("DIBS_CLASSES", System.getProperty("java.class.path"));
        shell.environment()
                .put("DIBS_URL", "jdbc:h2:async:" + folder.resolve("demo") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0");
        return run(shell, folder);
    }

    private static Result run(ProcessBuilder builder, Path folder) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process;
        try {
            process = builder.directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            return new Result(127, e.toString());
        }
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(builder.command() + " does not end: " + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }
}
