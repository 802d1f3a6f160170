package dev.dibs.conformance;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** Clients and Java count in one row, read first and written later, each under the lock, while clients are killed. */
final class RaceCheck {

    private RaceCheck() {}

    static List<Check> all() {
        return List.of(new Check(4, "race", RaceCheck::run));
    }

    private static void run(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String lock = arena.name();
        Race.run(arena, client -> Race.add(arena, client, lock), () -> Race.addInJava(arena, lock));
    }
}
