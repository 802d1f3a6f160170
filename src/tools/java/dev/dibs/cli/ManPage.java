package dev.dibs.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The page of one verb for man. Picocli's own generator writes AsciiDoc, and the program that turns that into such pages is larger than Dibs. */
final class ManPage {

    private final StringBuilder page = new StringBuilder();
    private final CommandSpec command;

    private ManPage(CommandSpec command) {
        this.command = command;
    }

    /** The file's name without the section, as in dibs-token-issue. */
    static String name(CommandSpec command) {
        return command.qualifiedName("-");
    }

    static String of(CommandSpec command) {
        return new ManPage(command).write();
    }

    /** The first sentence, which says what it does. */
    static String sentence(String... description) {
        String text = description.length == 0 ? "" : format(description[0]);
        int end = text.indexOf(". ");
        String first = end < 0 ? text : text.substring(0, end);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }

    /** Descriptions are formats: a percent sign is doubled. */
    private static String format(String description) {
        return description.replace("%n", " ").replace("%%", "%");
    }

    private String write() {
        page.append(".TH \"")
                .append(name(command).toUpperCase(Locale.ROOT))
                .append("\" \"1\" \"\" \"Dibs\" \"Dibs\"\n");
        page.append(".nh\n.ad l\n");
        section("NAME");
        text(name(command) + " - " + sentence(command.usageMessage().description()));
        section("SYNOPSIS");
        synopsis().forEach(line -> {
            text(line);
            page.append(".br\n");
        });
        section("DESCRIPTION");
        paragraphs(command.usageMessage().description());
        if (!command.subcommands().isEmpty()) {
            section("COMMANDS");
            command.subcommands()
                    .forEach((name, verb) -> item(
                            name, sentence(verb.getCommandSpec().usageMessage().description()) + "."));
        }
        section("OPTIONS");
        command.positionalParameters().forEach(this::parameter);
        command.options().forEach(this::option);
        Map<String, String> codes = command.usageMessage().exitCodeList();
        if (!codes.isEmpty()) {
            section("EXIT STATUS");
            codes.forEach(this::item);
        }
        if (command.usageMessage().footer().length > 0) {
            section("NOTES");
            paragraphs(command.usageMessage().footer());
        }
        if (command.parent() != null) {
            section("SEE ALSO");
            text(name(command.parent()) + "(1)");
        }
        return page.toString();
    }

    private List<String> synopsis() {
        String[] custom = command.usageMessage().customSynopsis();
        return custom.length > 0
                ? List.of(custom)
                : List.of(new Help(command, CommandLine.Help.Ansi.OFF)
                        .synopsis(0)
                        .strip()
                        .replaceAll("\\s+", " "));
    }

    private void section(String title) {
        page.append(".SH ").append(title).append('\n');
    }

    private void paragraphs(String... lines) {
        for (String line : lines) {
            if (line.isEmpty()) {
                page.append(".PP\n");
            } else if (line.startsWith(" ")) {
                page.append(".br\n");
                text(format(line));
            } else {
                text(format(line));
            }
        }
    }

    private void parameter(PositionalParamSpec parameter) {
        item(parameter.paramLabel(), description(parameter));
    }

    private void option(OptionSpec option) {
        List<String> names = new ArrayList<>(List.of(option.names()));
        String value = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
        item(String.join(", ", names) + value, description(option));
    }

    private static String description(ArgSpec argument) {
        return format(String.join(" ", argument.description()));
    }

    private void item(String term, String description) {
        page.append(".TP\n.B ").append(escaped(term)).append('\n');
        text(description);
    }

    private void text(String line) {
        page.append(escaped(line)).append('\n');
    }

    private static String escaped(String line) {
        String plain = line.replace("\\", "\\e").replace("-", "\\-");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
