package dev.dibs.demo;

import dev.dibs.demo.FileSearch.Found;
import dev.dibs.demo.FileSearch.Item;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The files of the run, in random order: if time is short, the finished ones are still a fair sample.
 *
 * @param root the directory of their paths
 * @param what their kind, in the plural
 * @param files in the order of the work
 * @param all how many there are in the directory
 * @param complete whether the whole directory was searched
 * @param note a remark for the user about the choice; may be empty
 */
record Sample(Path root, String what, List<Item> files, int all, boolean complete, String note) {

    /** Fewer would be done before two workers had an incident. */
    static final int FEWEST = 12;

    private static final Duration SEARCH = Duration.ofSeconds(8);
    private static final int MOST_A_SECOND = 60;
    /** One file must not take as long as all the others. */
    private static final long LARGEST = 200_000_000;
    /** A slow machine reads and unpacks this much within a minute. */
    private static final long MOST_BYTES = 1_500_000_000;

    /** The named directory; else the local Maven repository; else, if that has no jars, the JDK's own files. */
    static Sample choose(Settings settings, Random random) throws IOException {
        if (settings.files().isPresent()) {
            Path directory = settings.files().get();
            if (!Files.isDirectory(directory)) {
                throw new IllegalArgumentException("There is no directory " + directory);
            }
            return of(directory, "files", FileSearch.find(directory, file -> true, SEARCH), settings, random);
        }
        Path repository = settings.repository();
        if (Files.isDirectory(repository)) {
            Found jars = FileSearch.find(repository, FileSearch::isJar, SEARCH);
            Sample sample = of(repository, "jars", jars, settings, random);
            if (sample.isEnough()) {
                return sample;
            }
        }
        Path java = Path.of(System.getProperty("java.home"));
        Sample sample = of(java, "files", FileSearch.find(java, file -> true, SEARCH), settings, random);
        return sample.noting("There is no Maven repository with at least " + FEWEST + " jars at " + repository
                + ": the files of this JDK are taken instead.");
    }

    static Sample of(Path root, String what, Found found, Settings settings, Random random) {
        List<Item> fitting = new ArrayList<>(
                found.files().stream().filter(file -> file.bytes() <= LARGEST).toList());
        Collections.shuffle(fitting, random);
        int most = Math.toIntExact(MOST_A_SECOND * settings.time().toSeconds());
        List<Item> chosen = new ArrayList<>();
        long bytes = 0;
        for (Item file : fitting) {
            bytes += file.bytes();
            if (chosen.size() >= FEWEST && (chosen.size() >= most || bytes > MOST_BYTES)) {
                break;
            }
            chosen.add(file);
        }
        return new Sample(root, what, List.copyOf(chosen), found.files().size(), found.complete(), "");
    }

    private Sample noting(String text) {
        return new Sample(root, what, files, all, complete, text);
    }

    boolean isEnough() {
        return files.size() >= FEWEST;
    }

    /** A description in a few words. */
    String describe() {
        long bytes = files.stream().mapToLong(Item::bytes).sum();
        String how = files.size() < all || !complete
                ? "a random sample of " + files.size() + " of " + (complete ? "" : "at least ") + all + " " + what
                : "all " + all + " " + what;
        return how + " (" + Summary.size(bytes) + ")";
    }
}
