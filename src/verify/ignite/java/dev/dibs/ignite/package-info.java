/** Whether an engine that lets two win is refused: a real one. Only with {@code -Pignite}. */
package dev.dibs.ignite;
