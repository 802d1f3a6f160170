/** Whether a real engine that lets two win is refused. Only with {@code -Pignite}. */
package dev.dibs.ignite;
