package dev.dibs.fault.history;

import java.util.List;

/** One promise. */
interface Rule {
    /** The evidence that it was broken; nothing if it was kept. */
    List<String> broken(History history, Effects effects);
}
