package dev.dibs.spring;

import java.util.List;

/** An annotation at the method of an interface counts, too. */
interface Interest {

    @Locked("inherited")
    List<List<String>> inherited();
}
