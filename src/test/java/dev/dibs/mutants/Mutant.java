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

    @Override
    public String toString() {
        return file + " " + statement + ": " + change;
    }
}
