package dev.dibs;

import java.util.List;

/** Who holds what, of every kind. Made by {@link Admin#holders}; safe for use by any thread. */
public interface Holders {

    /**
     * Locks, permits of semaphores, writers and readers that are held now, sorted by name; without the locks of Dibs' own maintenance.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<HolderInfo> list();

    /**
     * The same, with the locks of Dibs' own {@linkplain HolderInfo#isMaintenance maintenance}.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<HolderInfo> listAll();

    /**
     * Takes what has that name, of these kinds, from all of its holders by force. What is said of {@link Admin#breakLock} holds.
     *
     * @return who had it; somebody who comes meanwhile may have it again
     * @throws IllegalArgumentException if it cannot be a name, or there is no kind
     * @throws DibsException if a row is locked just now, as by a guarded transaction, which does not keep the others from being broken;
     *     or the database cannot be asked
     */
    List<HolderInfo> breakAll(String name, HolderKind... kinds);
}
