package dev.dibs.mutants;

/**
 * A statement file with one thing wrong.
 *
 * @param file its path below {@code sql} or {@code dialects}
 * @param statement the statement or fragment that is wrong
 * @param change what was done to it, for people
 * @param text the whole file
 */
record Mutant(String file, String statement, String change, String text) {

    /** The file's name without its ending. */
    String stem() {
        return file.substring(file.lastIndexOf('/') + 1).replace(".sql", "");
    }

    /** The name as it stands in a file of properties. */
    String key() {
        return toString()
                .replace("<=", "_upto_")
                .replace("<>", "_not_")
                .replace(">", "_after_")
                .replace("<", "_before_")
                .replaceAll("[^A-Za-z0-9]+", "_");
    }

    @Override
    public String toString() {
        return file + " " + statement + ": " + change;
    }
}
