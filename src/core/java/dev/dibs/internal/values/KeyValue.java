package dev.dibs.internal.values;

/**
 * A value of a key, and its text.
 *
 * @param value as the driver has it
 * @param text as the database writes and reads it
 */
public record KeyValue(Object value, String text) {}
