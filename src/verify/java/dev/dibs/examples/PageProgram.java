package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.JavaBlocks;
import dev.dibs.pages.Page;
import dev.dibs.pages.Page.Block;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The program that a page of docs/situations shows, compiled as it is there but for two things: the place of its
 * database, and its slow work, which takes as long as the test wants.
 */
final class PageProgram {

    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep\\([\\d_]+\\)");
    private static final String WORK = PageNode.class.getName() + ".work()";
    private static final Pattern TYPE = Pattern.compile("(?m)^public class (\\w+)");

    private final Page page;
    private final Path classes;
    private final String type;

    PageProgram(String page, Path folder, UnaryOperator<String> place) {
        this.page = Page.of("docs", "situations", page + ".md");
        classes = folder.resolve("classes");
        Block block = this.page.blocks("java").get(0);
        Matcher found = TYPE.matcher(block.code());
        assertThat(found.find()).as("%s is a whole file", block).isTrue();
        type = "block0." + found.group(1);
        Block placed = new Block(this.page, block.line(), "java", slowWork(place.apply(block.code())));
        assertThat(new JavaBlocks(classes, Around.class, List.of()).refused(List.of(placed)))
                .isEmpty();
    }

    private static String slowWork(String code) {
        return SLEEP.matcher(code).replaceAll(WORK);
    }

    PageNode start(String... arguments) {
        return PageNode.start(classes, type, arguments);
    }

    String type() {
        return type;
    }

    URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {classes.toUri().toURL()}, PageProgram.class.getClassLoader());
    }

    /** The first block of a language. */
    String block(String language) {
        return page.blocks(language).get(0).code();
    }

    /** The block of output with this number. */
    String output(int number) {
        return page.blocks("text").get(number).code();
    }

    /** The node prints, to its end, what the block of output with this number says; two dots stand for any text. */
    void expect(int number, PageNode node) throws Exception {
        String pattern = "\\Q" + output(number).replace("..", "\\E.*\\Q") + "\\E";
        assertThat(String.join("\n", node.output()) + "\n").matches(pattern);
    }
}
