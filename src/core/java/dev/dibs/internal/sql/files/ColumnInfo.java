package dev.dibs.internal.sql.files;

/**
 * A column of a user's table.
 *
 * @param name as the database has it
 * @param jdbcType one of {@link java.sql.Types}
 * @param type the database's name for its type
 * @param size the length of a text, the digits of a number
 * @param scale the digits behind the point
 * @param mayBeNull unless the database says that it cannot
 */
public record ColumnInfo(String name, int jdbcType, String type, int size, int scale, boolean mayBeNull) {}
