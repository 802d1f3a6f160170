package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One word for one thing, and a standard term of the field. The glossary in docs explains them. */
@Tag("unit")
class WordsTest {

    /** Words that are refused in names, and their replacements. */
    private static final Map<String, String> SAY = Map.ofEntries(
            Map.entry("wish", "intent, or the name of the call"),
            Map.entry("isWish", "isIntent"),
            Map.entry("Wish", "AcquireCall, ConsumeCall, CompleteCall"),
            Map.entry("Lines", "FairQueue"),
            Map.entry("Turn", "Place"),
            Map.entry("Office", "TicketSource"),
            Map.entry("ClaimTurn", "NextClaim"),
            Map.entry("Coalescer", "Batcher"),
            Map.entry("coalescer", "batcher"),
            Map.entry("Rounds", "BackgroundLoop"),
            Map.entry("Chores", "Maintenance"),
            Map.entry("chores", "maintenance"),
            Map.entry("isChore", "isMaintenance"),
            Map.entry("Resend", "Retry"),
            Map.entry("OncePer", "Throttle"),
            Map.entry("LockSide", "Acquirable"),
            Map.entry("putOff", "postpone"),
            Map.entry("PUT_OFF", "POSTPONE"),
            Map.entry("bury", "dead letter"),
            Map.entry("BURY", "DEAD_LETTER"),
            Map.entry("revive", "redrive"),
            Map.entry("Door", "AccessCheck, DatabaseFileLock"),
            Map.entry("Visit", "PageRequest"),
            Map.entry("Complaints", "ErrorReport"),
            Map.entry("Mistake", "UsageError"),
            Map.entry("Person", "CurrentUser"),
            Map.entry("leaseFor", "lease"),
            Map.entry("backOff", "backoff"),
            Map.entry("prune", "purge"),
            Map.entry("pruneEvery", "purgeEvery"));

    /** Package names that do not say what the package holds. */
    private static final List<String> SAYS_NOTHING = List.of("util", "utils", "common", "support", "misc", "helper");

    private static final JavaClasses DIBS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.dibs");

    @Test
    void namesAreWordsOfTheField() {
        Map<String, String> found = new TreeMap<>();
        for (JavaClass type : DIBS) {
            Stream<String> members = type.getMembers().stream().map(JavaMember::getName);
            Stream.concat(Stream.of(type.getSimpleName()), members)
                    .filter(SAY::containsKey)
                    .forEach(name -> found.put(type.getName() + ": " + name, "say " + SAY.get(name)));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void packagesSayWhatTheyHold() {
        assertThat(DIBS.stream().map(type -> type.getPackageName().replaceAll(".*\\.", "")))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(SAYS_NOTHING);
    }
}
