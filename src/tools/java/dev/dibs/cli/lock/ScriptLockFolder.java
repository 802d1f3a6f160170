package dev.dibs.cli.lock;

import dev.dibs.cli.process.Processes;
import dev.dibs.cli.verb.UsageError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a script and the keeper of its lock tell each other: files in a folder of the user's own. The keeper deletes it when it ends.
 *
 * @param path the folder
 */
record ScriptLockFolder(Path path) {

    /** The variable of the script that names the folder. */
    static final String VARIABLE = "DIBS_HOLD";

    private static final String KEEPER = "keeper";
    private static final String SHELL = "shell";
    private static final String LOST = "lost";

    static ScriptLockFolder create() {
        try {
            return new ScriptLockFolder(Files.createTempDirectory("dibs-hold"));
        } catch (IOException e) {
            throw new UsageError("no folder can be made for the lock: " + e.getMessage());
        }
    }

    /** The folder of the script that calls us. */
    static ScriptLockFolder of(Map<String, String> environment) {
        String folder = environment.get(VARIABLE);
        if (folder == null || folder.isEmpty()) {
            throw new UsageError(
                    "this script holds no lock: " + VARIABLE + " is not set; begin with eval \"$(dibs hold NAME)\"");
        }
        return new ScriptLockFolder(Path.of(folder));
    }

    /** The code by which a shell takes over the lock. It writes its number, as our parent may be some helper that ends soon. */
    String shellCode(String name, String fence) {
        return "export " + VARIABLE + "=" + quoted(path.toString()) + " DIBS_NAME=" + quoted(name) + " DIBS_FENCE="
                + fence + "; echo $$ >\"$" + VARIABLE + "/" + SHELL + "\"";
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** This process is the keeper. */
    void keep() {
        write(KEEPER, identity(ProcessHandle.current()));
    }

    /** The keeper; empty if it has ended. */
    Optional<ProcessHandle> keeper() {
        String identity = read(KEEPER);
        return identity == null
                ? Optional.empty()
                : ProcessHandle.of(Long.parseLong(identity.split(" ", -1)[0]))
                        .filter(found -> identity(found).equals(identity) && !Processes.hasEnded(found));
    }

    /** A number may belong to another process later. */
    private static String identity(ProcessHandle process) {
        return process.pid() + " "
                + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** The number of the shell that has taken over the lock; empty if none has yet. */
    Optional<Long> shell() {
        return Optional.ofNullable(read(SHELL)).map(Long::valueOf);
    }

    void lost(String why) {
        write(LOST, why);
    }

    /** Why the lock is lost; null if it is not. */
    @Nullable
    String lost() {
        return read(LOST);
    }

    boolean exists() {
        return Files.isDirectory(path);
    }

    void delete() {
        try {
            for (String file : List.of(KEEPER, SHELL, LOST)) {
                Files.deleteIfExists(path.resolve(file));
            }
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // It is small, and belongs to the system's folder for such files.
        }
    }

    private void write(String file, String text) {
        try {
            Files.writeString(path.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable String read(String file) {
        try {
            String text = Files.readString(path.resolve(file)).strip();
            return text.isEmpty() ? null : text;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new UsageError("the folder " + path + " of this script's lock cannot be read: " + e);
        }
    }
}
