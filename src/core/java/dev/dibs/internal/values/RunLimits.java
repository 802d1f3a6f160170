package dev.dibs.internal.values;

/** The bounds of the settings of a run. Console and command check all of them before they write the first. */
public final class RunLimits {

    private RunLimits() {}

    /** Returns the number of rows of a claim. */
    public static int checkBatch(int rows, int most) {
        if (rows < 1 || rows > most) {
            throw new IllegalArgumentException(
                    "a claim of " + rows + " rows is out of bounds; it must be between 1 and " + most);
        }
        return rows;
    }

    public static double checkRate(double rowsPerSecond) {
        if (!(rowsPerSecond >= 0 && rowsPerSecond <= 1e9)) {
            throw new IllegalArgumentException("a rate of " + rowsPerSecond + " rows a second is out of bounds");
        }
        return rowsPerSecond;
    }

    public static long checkNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " is " + value + "; it must not be negative");
        }
        return value;
    }

    public static int checkPercent(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException(percent + " % is out of bounds; 0 to 100");
        }
        return percent;
    }
}
