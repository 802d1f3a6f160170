package dev.dibs.fuzz;

import java.util.List;
import java.util.Random;

/** Strings that break other texts when they are put into them: quotes, comments, control characters, other alphabets, much too long ones. */
public final class HostileTexts {

    private static final List<String> PIECES = List.of(
            "'",
            "''",
            "\"",
            "`",
            "[",
            "]",
            "\\",
            "\\'",
            ";",
            "--",
            "/*",
            "*/",
            "#",
            "?",
            "??",
            ":name",
            "{prefix}",
            "{now}",
            "$1",
            "$$",
            "%",
            "_",
            "%s",
            "${x}",
            "\0",
            "\n",
            "\r\n",
            "\t",
            "\u001b[31m",
            "\u202e",
            "\ufeff",
            "\ud800",
            "\udc00",
            "\ud83d\ude00",
            "é",
            "e\u0301",
            "ß",
            "İ",
            "漢",
            "A",
            "a",
            "z9",
            " ",
            "  ",
            "null",
            "NULL",
            "0",
            "-1",
            "1e9",
            "' OR '1'='1",
            "'; DROP TABLE dibs_lock; --",
            "\" OR 1=1",
            "1; SHUTDOWN",
            "<script>alert(1)</script>",
            "../../etc/passwd",
            "jdbc:h2:mem:x;INIT=RUNSCRIPT",
            "dibs_lock",
            "CASE WHEN",
            ".",
            "..",
            ",");

    private static final int MOST_PIECES = 6;
    private static final int LONG = 50;
    private static final int VERY_LONG = 100_000;

    private final Random random;

    /** The same seed makes the same texts. */
    public HostileTexts(long seed) {
        random = new Random(seed);
    }

    public String next() {
        return switch (random.nextInt(LONG)) {
            case 0 -> "";
            case 1 -> piece().repeat(1 + random.nextInt(VERY_LONG));
            case 2 -> piece().repeat(200).substring(0, 200);
            default -> some();
        };
    }

    private String some() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(MOST_PIECES) + 1; i > 0; i--) {
            text.append(piece());
        }
        return text.toString();
    }

    private String piece() {
        return any(PIECES);
    }

    public <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    public int below(int bound) {
        return random.nextInt(bound);
    }
}
