package dev.dibs.cli.token;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.text.KnownSecrets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Stack;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Tokens and codes among the words of a command line, or on the standard input in place of one. */
@SuppressWarnings("JdkObsolete") // picocli has a Stack
public final class SecretArguments implements IParameterPreprocessor {

    /** In place of a token or a code: read it from the standard input. */
    static final String STANDARD_INPUT = "-";

    /** Longer than a token or a code; a longer line is neither. */
    private static final int LONGEST_LINE = 1000;

    private static final String END_OF_OPTIONS = "--";
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final Pattern TOKEN_OR_CODE =
            Pattern.compile("(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|(?<![0-9])[0-9]{6,10}(?![0-9])");

    private static final Pattern LEADING_ZEROS = Pattern.compile("^0+");

    /** The look of a mistyped command or option; no part of a token or a code looks so. */
    private static final Pattern HARMLESS = Pattern.compile("-{0,2}[a-z]+(-[a-z]+)*");

    private static final int LONGEST_HARMLESS = 20;

    /** One token in 64 begins with a dash, as options do: it is moved to the end, behind two dashes. */
    @Override
    public boolean preprocess(
            Stack<String> words, CommandSpec spec, @Nullable ArgSpec argument, java.util.Map<String, Object> info) {
        int at = 0;
        while (at < words.size() && !isDashedToken(words.get(at))) {
            at++;
        }
        // The first word is on top, which is the end of the list.
        if (at < words.size() && !words.contains(END_OF_OPTIONS)) {
            String token = words.remove(at);
            words.add(0, END_OF_OPTIONS);
            words.add(0, token);
        }
        return false;
    }

    private static boolean isDashedToken(String word) {
        return word.startsWith("-") && TOKEN.matcher(word).matches();
    }

    /** Masks everything that looks like a token or a code, a code also as a number. */
    public static void learn(KnownSecrets secrets, List<String> words) {
        for (String word : words) {
            Matcher found = TOKEN_OR_CODE.matcher(word);
            while (found.find()) {
                secrets.learn(null, found.group());
                secrets.learn(null, LEADING_ZEROS.matcher(found.group()).replaceFirst(""));
            }
        }
    }

    public static boolean isHarmless(String word) {
        return word.length() <= LONGEST_HARMLESS && HARMLESS.matcher(word).matches();
    }

    /** The first line. */
    static String read(InputStream input) {
        try {
            byte[] line = new byte[LONGEST_LINE];
            int length = 0;
            for (int c = input.read(); c >= 0 && c != '\n' && length < LONGEST_LINE; c = input.read()) {
                line[length++] = (byte) c;
            }
            return new String(line, 0, length, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UsageError("the standard input cannot be read: " + e.getMessage());
        }
    }
}
