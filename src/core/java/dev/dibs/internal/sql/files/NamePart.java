package dev.dibs.internal.sql.files;

/**
 * One part of a name, such as the schema of a table.
 *
 * @param text without quotes
 * @param exact whether it was quoted, so that the catalog has it unchanged; else the database may have folded its case
 */
public record NamePart(String text, boolean exact) {}
