package dev.dibs.database;

import java.util.List;

/**
 * The types that a table's column for a claim's end or token may have, and those that are refused.
 *
 * @param times hold whole numbers of 64 bits
 * @param tokens hold texts of 32 characters
 */
public record MarkTypes(
        List<String> times, List<String> refusedTimes, List<String> tokens, List<String> refusedTokens) {

    static MarkTypes usual() {
        return new MarkTypes(
                List.of("bigint", "numeric(19)", "decimal(18, 2)"),
                List.of("int", "smallint", "numeric(15)", "varchar(40)", "double precision", "timestamp"),
                List.of("varchar(32)", "char(32)"),
                List.of("varchar(31)", "char(8)", "bigint"));
    }

    private MarkTypes and(List<String> times, List<String> tokens) {
        return new MarkTypes(plus(this.times, times), refusedTimes, plus(this.tokens, tokens), refusedTokens);
    }

    private static List<String> plus(List<String> some, List<String> more) {
        return java.util.stream.Stream.concat(some.stream(), more.stream()).toList();
    }

    static MarkTypes h2() {
        return usual().and(
                        List.of("int8", "numeric"),
                        List.of("varchar", "clob", "varchar_ignorecase(40)", "character varying(64)"));
    }

    static MarkTypes postgresql() {
        return usual().and(List.of("int8", "numeric", "dibs_number"), List.of("text", "varchar", "dibs_mark"));
    }

    static MarkTypes mysql() {
        return usual().and(
                        List.of("bigint unsigned", "int8", "bigint(20) zerofill", "decimal(20)"),
                        List.of("text", "tinytext", "longtext", "national varchar(40)"));
    }

    /** Lengths and digits do not count. */
    static MarkTypes sqlite() {
        return new MarkTypes(
                List.of(
                        "integer",
                        "int",
                        "bigint",
                        "tinyint",
                        "int8",
                        "unsigned big int",
                        "long integer",
                        "numeric",
                        "decimal(10, 5)"),
                List.of("text", "varchar(40)", "real", "double precision"),
                List.of("text", "clob", "varchar", "varchar(10)", "nvarchar(40)", "character(20)", "native character"),
                List.of("integer", "real", "numeric"));
    }

    static MarkTypes sqlserver() {
        return new MarkTypes(
                List.of("bigint", "numeric(19)", "decimal(18, 2)"),
                List.of("int", "numeric(15)", "varchar(40)", "float", "datetime2"),
                List.of("varchar(32)", "char(32)", "nvarchar(40)", "varchar(max)"),
                List.of("varchar(31)", "char(8)", "bigint"));
    }
}
