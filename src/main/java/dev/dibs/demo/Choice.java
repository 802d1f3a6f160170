package dev.dibs.demo;

import dev.dibs.demo.Artifacts.Directory;
import dev.dibs.demo.Artifacts.Found;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Which directories are to be verified, in random order: whatever time leaves undone, what was done is a fair sample.
 *
 * @param directories in the order in which they are handed out
 * @param all how many there are in the repository
 * @param complete whether the whole repository was looked through
 */
record Choice(List<Directory> directories, int all, boolean complete) {

    /** Fewer would be done before two workers were struck. */
    static final int FEWEST = 6;

    /** More than any machine gets done, and not too many to be listed in a database that is far away. */
    private static final int MOST_A_SECOND = 100;
    /** One directory must not take as long as all the others. */
    private static final long LARGEST = 400_000_000;

    static Choice of(Found found, Duration time, Random random) {
        List<Directory> fitting = new ArrayList<>(found.directories().stream()
                .filter(directory -> directory.bytes() <= LARGEST)
                .toList());
        Collections.shuffle(fitting, random);
        int most = Math.toIntExact(MOST_A_SECOND * time.toSeconds());
        List<Directory> chosen = List.copyOf(fitting.subList(0, Math.min(most, fitting.size())));
        return new Choice(chosen, found.directories().size(), found.complete());
    }

    boolean isEnough() {
        return directories.size() >= FEWEST;
    }

    String path(int id) {
        return directories.get(id - 1).path();
    }

    /** What it is, in a sentence. */
    String describe() {
        long jars = directories.stream().mapToInt(Directory::jars).sum();
        long bytes = directories.stream().mapToLong(Directory::bytes).sum();
        String what = directories.size() < all || !complete
                ? "A random sample of " + directories.size() + " of " + (complete ? "" : "at least ") + all
                        + " directories"
                : "All " + all + " directories";
        return what + " with jars: " + jars + " jars, " + Summary.size(bytes);
    }
}
