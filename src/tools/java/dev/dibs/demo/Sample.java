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
 * The files that the run works off, in random order: whatever time leaves undone, what was done is a fair sample.
 *
 * @param root the directory that their paths are below
 * @param what they are, in the plural
 * @param files in the order in which they are worked off
 * @param all how many there are in the directory
 * @param complete whether the whole directory was looked through
 * @param note what the user should know about the choice; empty if nothing
 */
record Sample(Path root, String what, List<Item> files, int all, boolean complete, String note) {

    /** Fewer would be done before two workers were struck. */
    static final int FEWEST = 12;

    private static final Duration SEARCH = Duration.ofSeconds(8);
    private static final int MOST_A_SECOND = 60;
    /** One file must not take as long as all the others. */
    private static final long LARGEST = 200_000_000;
    /** So much is read and unpacked within a minute on a slow machine. */
    private static final long MOST_BYTES = 1_500_000_000;

    /** The directory that was named; else the local Maven repository; else, where that has no jars, what the JDK is made of. */
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

    /** What it is, in a few words. */
    String describe() {
        long bytes = files.stream().mapToLong(Item::bytes).sum();
        String how = files.size() < all || !complete
                ? "a random sample of " + files.size() + " of " + (complete ? "" : "at least ") + all + " " + what
                : "all " + all + " " + what;
        return how + " (" + Summary.size(bytes) + ")";
    }
}
