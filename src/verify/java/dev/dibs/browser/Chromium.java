package dev.dibs.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;

/** A real browser, where there is one. */
public final class Chromium implements AutoCloseable {

    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path BROWSER = Path.of("/usr/bin/chromium");

    private final ChromeDriver driver;
    private final String axe;

    /** Opens it, or skips the test. */
    public Chromium() throws IOException {
        assumeTrue(Files.isExecutable(DRIVER) && Files.isExecutable(BROWSER), "no Chromium with its driver is here");
        try (InputStream script = Chromium.class.getResourceAsStream("/axe.min.js")) {
            axe = new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER.toString());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900");
        // Else the driver is downloaded.
        System.setProperty("webdriver.chrome.driver", DRIVER.toString());
        driver = new ChromeDriver(options);
        driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(1)).pageLoadTimeout(Duration.ofMinutes(1));
    }

    /** What finds and clicks the elements of its page. */
    public ChromeDriver driver() {
        return driver;
    }

    /** What the user prefers: light or dark. */
    public void scheme(String name) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
    }

    /** The width of its window; less than 600 is a phone. */
    public void width(int pixels) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", 900, "deviceScaleFactor", 1, "mobile", pixels < 600));
    }

    /** The serious and critical findings of the accessibility checker, one a line. */
    public List<String> barriers() {
        driver.executeScript(axe);
        Object found = driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document).then(
                    (result) => done(result.violations
                        .filter((v) => v.impact === "serious" || v.impact === "critical")
                        .map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" ; "))),
                    (error) => done(["axe failed: " + error]));
                """);
        return ((List<?>) found).stream().map(String::valueOf).toList();
    }

    /** Stores a picture of the window. */
    public void picture(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
