/** The cost of Dibs, next to the least that any lock in a database could cost. Run by {@code mvn -Pbench verify}. */
package dev.dibs.bench;
