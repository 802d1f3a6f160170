package dev.dibs;

import java.util.List;

/** The holders of leases of every kind. Made by {@link Admin#holders}; safe for use by any thread. */
public interface Holders {

    /**
     * All leases that are held now, sorted by name: locks, permits, writers and readers; without the locks of Dibs' own
     * maintenance.
     *
     * @throws DibsException if the request to the database fails
     */
    List<HolderInfo> list();

    /**
     * All leases that are held now, with the locks of Dibs' own {@linkplain HolderInfo#isMaintenance maintenance}.
     *
     * @throws DibsException if the request to the database fails
     */
    List<HolderInfo> listAll();

    /**
     * Takes the leases with this name and of these kinds from all their holders by force. The limits of {@link Admin#breakLock}
     * apply.
     *
     * @return the former holders; a new caller may acquire it meanwhile
     * @throws IllegalArgumentException if the name is not valid, or no kind is given
     * @throws DibsException if a row is locked at the moment, as by a guarded transaction; the other rows are broken all the same.
     *     Also if the request to the database fails
     */
    List<HolderInfo> breakAll(String name, HolderKind... kinds);
}
