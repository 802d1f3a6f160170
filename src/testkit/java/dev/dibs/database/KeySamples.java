package dev.dibs.database;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The types of a database for keys, and settings of a session that could change how it writes or reads them.
 *
 * @param before creates the types that are the user's; some may exist
 */
public record KeySamples(List<String> before, List<KeyType> types, List<String> sessions) {
    /** Times in the hours that come twice or never, in Berlin, New York and on Lord Howe Island. */
    private static final List<String> TIMES = List.of(
            "'2026-03-05 10:00:00.123456'",
            "'2026-03-29 02:30:00.5'",
            "'2026-03-29 03:30:00.5'",
            "'2026-10-25 02:30:00'",
            "'2026-10-25 01:30:00'",
            "'2026-03-08 02:30:00'",
            "'2026-11-01 01:30:00'",
            "'2026-04-05 01:45:00'",
            "'2026-10-04 02:15:00'",
            "'1883-11-18 12:00:00'",
            "'9999-12-31 23:59:59'");

    private static final List<String> INSTANTS = List.of(
            "'2026-03-05 10:00:00.123456+00'",
            "'2026-03-29 00:30:00+00'",
            "'2026-03-29 01:30:00+00'",
            "'2026-10-25 00:30:00+00'",
            "'2026-10-25 01:30:00+00'",
            "'2026-11-01 05:30:00+00'",
            "'2026-11-01 06:30:00+00'",
            "'2026-04-04 14:45:00+00'",
            "'2026-04-04 15:15:00+00'",
            "'1883-11-18 12:00:00+00'",
            "'9999-12-31 23:59:59+00'");

    private static final UUID ID = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");

    /** A word, for columns of texts. */
    private enum Word {
        abc
    }

    /** Whole numbers and texts. */
    static KeySamples sqlite() {
        return new KeySamples(
                List.of(),
                all(
                        List.of(
                                whole("bigint"),
                                whole("integer"),
                                whole("int"),
                                text("varchar(60)"),
                                text("text"),
                                text("nvarchar(60)"),
                                whole("unsigned big int"),
                                whole("tinyint"),
                                text("clob"),
                                binary("blob", "X'", "'"),
                                sixteenBytes("blob", "X'", "'"),
                                binary("varbinary(60)", "X'", "'"),
                                sixteenBytes("binary(16)", "X'", "'")),
                        refused("date", "timestamp", "decimal(10, 2)", "uuid", "boolean", "real")),
                List.of());
    }

    private static KeyType whole(String type) {
        return KeyType.of(type, List.of("7", "0", "-1", "100"), 7, 7L, "7", (short) 7, BigInteger.valueOf(7));
    }

    private static KeyType unsigned(String type, String largest) {
        return KeyType.of(type, List.of(largest, "7", "0"), new BigInteger(largest), largest);
    }

    private static KeyType decimal(String type) {
        return KeyType.of(type, List.of("7.25", "0.01", "-1.50", "1000"), "7.25", new BigDecimal("7.25"));
    }

    /** More digits than a binary fraction has. */
    private static KeyType large(String type) {
        String value = "1234567890123.123456789012";
        return KeyType.of(type, List.of(value, "1234567890123.123456789013", "7"), value, new BigDecimal(value));
    }

    private static KeyType text(String type) {
        return KeyType.of(type, List.of("'abc'", "'e,f\\'", "' d'", "'öä'"), "abc", Word.abc);
    }

    private static KeyType fixed(String type) {
        return KeyType.of(type, List.of("'abc'", "'e,f'", "' d'"), "abc", Word.abc);
    }

    private static KeyType uuid(String type) {
        return KeyType.of(type, List.of("'" + ID + "'", "'ffffffff-e89b-12d3-a456-426614174000'"), ID, ID.toString());
    }

    /** The bytes 00 ff 27 5c, which no text may lose, and shorter and longer ones. */
    private static KeyType binary(String type, String before, String after) {
        return KeyType.of(
                type,
                Stream.of("00ff275c", "", "00", "2c5c27", "ab".repeat(60))
                        .map(hex -> before + hex + after)
                        .toList(),
                (Object) new byte[] {0, (byte) 0xff, 0x27, 0x5c});
    }

    /** As Hibernate stores a UUID. */
    private static KeyType sixteenBytes(String type, String before, String after) {
        return KeyType.of(
                type,
                Stream.of(ID.toString().replace("-", ""), "00ff27005c0a1f2e00112233445566ff")
                        .map(hex -> before + hex + after)
                        .toList(),
                ID,
                ID.toString());
    }

    private static KeyType date(String type) {
        return KeyType.of(
                type,
                List.of("'2026-03-05'", "'2026-03-29'", "'2026-10-25'", "'1883-11-18'", "'2011-12-30'"),
                "2026-03-05");
    }

    private static KeyType time(String type) {
        return KeyType.of(type, List.of("'10:00:00.123456'", "'00:00:00'", "'02:30:00'"), "10:00:00.123456");
    }

    private static KeyType dateTime(String type) {
        return KeyType.of(type, TIMES);
    }

    private static KeyType instant(String type) {
        return KeyType.of(type, INSTANTS);
    }

    private static KeyType truth(String type) {
        return KeyType.of(type, List.of("true", "false"), true, "true");
    }

    private static List<KeyType> refused(String... types) {
        return Stream.of(types).map(KeyType::refused).toList();
    }

    private static List<KeyType> all(List<KeyType> types, List<KeyType> others) {
        return Stream.concat(types.stream(), others.stream()).toList();
    }

    private static List<String> with(List<String> values, String... more) {
        List<String> all = new ArrayList<>(values);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }

    static KeySamples usual() {
        return new KeySamples(
                List.of(), all(List.of(whole("int"), whole("bigint"), date("date")), refused("real")), List.of());
    }

    static KeySamples h2() {
        List<KeyType> refused =
                refused("real", "double precision", "decfloat", "time with time zone", "interval day", "int array");
        List<KeyType> types = List.of(
                whole("tinyint"),
                whole("smallint"),
                whole("int"),
                whole("bigint"),
                decimal("numeric(10, 2)"),
                KeyType.of("decimal(40, 12)", decimal("").values()),
                large("numeric(41, 12)"),
                text("varchar(40)"),
                KeyType.of("varchar_ignorecase(40)", List.of("'abc'", "'d'"), "abc"),
                fixed("char(10)"),
                KeyType.of("enum('d,e', 'abc')", List.of("'abc'", "'d,e'"), "abc", Word.abc),
                uuid("uuid"),
                binary("varbinary(60)", "X'", "'"),
                sixteenBytes("binary(16)", "X'", "'"),
                truth("boolean"),
                date("date"),
                time("time(9)"),
                KeyType.of(
                        "timestamp(9)", with(List.of("'2026-03-05 10:00:00.123456789'"), TIMES.toArray(String[]::new))),
                dateTime("timestamp"),
                instant("timestamp(9) with time zone"));
        return new KeySamples(
                List.of(),
                all(types, refused),
                List.of(
                        "SET TIME ZONE 'UTC'",
                        "SET TIME ZONE 'America/New_York'",
                        "SET TIME ZONE 'Australia/Lord_Howe'"));
    }

    static KeySamples postgresql() {
        List<KeyType> refused = refused(
                "real",
                "double precision",
                "bit(3)",
                "bit varying(3)",
                "interval",
                "money",
                "timetz",
                "jsonb",
                "int[]",
                "int4range");
        List<KeyType> types = List.of(
                whole("smallint"),
                whole("int"),
                whole("bigint"),
                whole("serial"),
                whole("dibs_number"),
                KeyType.of("oid", List.of("7", "4294967295"), 7, "7", 7L),
                decimal("numeric(10, 2)"),
                large("numeric(40, 12)"),
                KeyType.of("numeric", List.of("7.00", "'NaN'", "0.000000001", "1e30"), "7.00", new BigDecimal("7.00")),
                text("varchar(40)"),
                text("text"),
                KeyType.of("text COLLATE dibs_any_case", List.of("'abc'", "'d'"), "abc"),
                text("name"),
                fixed("char(10)"),
                KeyType.of("dibs_word", List.of("'abc'", "'d,e'"), "abc", Word.abc),
                uuid("uuid"),
                binary("bytea", "'\\x", "'"),
                sixteenBytes("bytea", "'\\x", "'"),
                truth("boolean"),
                KeyType.of("inet", List.of("'10.0.0.1'", "'10.0.0.0/8'", "'::1'"), "10.0.0.1"),
                KeyType.of("cidr", List.of("'10.0.0.0/8'"), "10.0.0.0/8"),
                KeyType.of("macaddr", List.of("'08:00:2b:01:02:03'"), "08:00:2b:01:02:03"),
                KeyType.of("date", with(date("").values(), "'infinity'", "'0044-03-15 BC'"), "2026-03-05"),
                time("time"),
                KeyType.of("timestamp", with(TIMES, "'infinity'", "'0044-03-15 10:00 BC'")),
                KeyType.of("timestamp(3)", List.of("'2026-03-05 10:00:00.123'")),
                KeyType.of(
                        "timestamptz", with(INSTANTS, "'infinity'", "'-infinity'", "'0044-03-15 10:00:00.5+00 BC'")));
        return new KeySamples(
                List.of(
                        "CREATE TYPE dibs_word AS ENUM ('abc', 'd,e')",
                        "CREATE DOMAIN dibs_mark AS varchar(64)",
                        "CREATE DOMAIN dibs_number AS bigint CHECK (VALUE > -2)",
                        "CREATE COLLATION dibs_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"),
                all(types, refused),
                List.of(
                        "SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, DMY'; SET IntervalStyle = 'iso_8601'",
                        "SET TIME ZONE 'America/New_York'; SET extra_float_digits = 0",
                        "SET TIME ZONE 'Australia/Lord_Howe'; SET bytea_output = 'escape'"));
    }

    private static List<KeyType> mysqlTypes() {
        return List.of(
                whole("tinyint"),
                whole("smallint"),
                whole("mediumint"),
                whole("int"),
                whole("bigint"),
                unsigned("int unsigned", "4294967295"),
                unsigned("bigint unsigned", "18446744073709551615"),
                KeyType.of("year", List.of("2026", "1999"), 2026, "2026"),
                decimal("decimal(10, 2)"),
                KeyType.of("varchar(40)", List.of("'abc'", "'e,f'", "' d'"), "abc", Word.abc),
                KeyType.of("varchar(40) CHARACTER SET latin1", List.of("'abé'", "'d'"), "abé"),
                KeyType.of("varchar(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", List.of("'abc'", "'ABC'"), "abc"),
                KeyType.of("char(10)", List.of("'abc'", "'e,f'"), "abc"),
                KeyType.of("enum('d', 'abc')", List.of("'abc'", "'d'"), "abc", Word.abc),
                binary("varbinary(255)", "X'", "'"),
                sixteenBytes("binary(16)", "X'", "'"),
                KeyType.of("varchar(40) CHARACTER SET utf16", List.of("'abé'", "'d'", "'e,f'"), "abé"),
                KeyType.of("varchar(40) CHARACTER SET ucs2", List.of("'abé'", "'d'"), "abé"),
                KeyType.of("char(10) CHARACTER SET utf32", List.of("'abé'", "'d'"), "abé"),
                KeyType.of("set('a', 'b')", List.of("'a,b'"), "a,b"),
                KeyType.of("char(36) CHARACTER SET ascii COLLATE ascii_bin", uuid("").values(), ID, ID.toString()),
                date("date"),
                dateTime("datetime(6)"),
                KeyType.of("datetime", List.of("'2026-03-05 10:00:00'")),
                large("decimal(40, 12)"),
                large("decimal(40, 12) unsigned"),
                large("decimal(40, 12) zerofill"));
    }

    private static List<KeyType> refusedByMysql() {
        return refused("float", "double", "bit(8)", "time(6)", "timestamp(6)");
    }

    private static final List<String> MYSQL_SESSIONS = List.of(
            "SET time_zone = '+00:00'",
            "SET time_zone = '-05:00', sql_mode = concat(@@sql_mode, ',PAD_CHAR_TO_FULL_LENGTH')",
            "SET time_zone = '+10:30', sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')");

    static KeySamples mariadb() {
        List<KeyType> own = List.of(
                KeyType.of("tinyint(1)", List.of("1", "5", "0"), 1, "1"),
                uuid("uuid"),
                KeyType.of("inet6", List.of("'::1'"), "::1"));
        return new KeySamples(List.of(), all(all(mysqlTypes(), own), refusedByMysql()), MYSQL_SESSIONS);
    }

    static KeySamples mysql() {
        return new KeySamples(List.of(), all(mysqlTypes(), refusedByMysql()), MYSQL_SESSIONS);
    }

    static KeySamples sqlserver() {
        List<KeyType> types = List.of(
                whole("smallint"),
                whole("int"),
                whole("bigint"),
                decimal("decimal(10, 2)"),
                large("decimal(38, 12)"),
                KeyType.of("nvarchar(40)", List.of("'abc'", "'e,f'"), "abc", Word.abc),
                KeyType.of("nchar(10)", List.of("'abc'", "'e,f'"), "abc"),
                uuid("uniqueidentifier"),
                sixteenBytes("binary(16)", "0x", ""),
                date("date"),
                KeyType.of("datetime", List.of("'2026-03-05T10:00:00.007'")),
                dateTime("datetime2"),
                instant("datetimeoffset"));
        return new KeySamples(
                List.of(),
                all(types, refused("real", "float", "bit", "time", "money", "rowversion")),
                List.of("SET LANGUAGE british", "SET DATEFORMAT ydm"));
    }
}
