package dev.dibs.internal.sql;

import java.sql.Types;

/**
 * A column of a user's table.
 *
 * @param name as the database has it
 * @param jdbcType one of {@link java.sql.Types}
 * @param type the database's name for its type
 * @param size the length of a text, the digits of a number
 * @param scale the digits behind the point
 */
public record ColumnInfo(String name, int jdbcType, String type, int size, int scale) {

    /** The kinds that a dialect may distinguish: whole, decimal, text, date, time (with a date) or other. */
    public String kind() {
        return switch (jdbcType) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> "whole";
            case Types.DECIMAL, Types.NUMERIC -> "decimal";
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR ->
                "text";
            case Types.DATE -> "date";
            case Types.TIMESTAMP -> "time";
            default -> "other";
        };
    }
}
