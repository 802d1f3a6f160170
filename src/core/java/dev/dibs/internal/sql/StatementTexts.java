package dev.dibs.internal.sql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The statements of a dialect as they are sent, with their contracts. An instance reads no contract: these are for people. */
public final class StatementTexts {

    private StatementTexts() {}

    /**
     * All statements but those about a table of the user's, in the order of the files.
     *
     * @param prefix what stands before every table name
     * @param style how the parameters are written
     */
    public static List<StatementText> of(DialectFolder folder, String prefix, Placeholders style) {
        Statements statements = Statements.load(folder, prefix);
        Map<String, String> contracts = contracts(folder);
        for (LeaseTexts kind : LeaseTexts.all(statements.fragments, statements.features())) {
            kind.named(contracts).forEach((name, contract) -> contracts.putIfAbsent(name, kind.named(contract)));
        }
        return statements.names().stream()
                .map(name -> new StatementText(
                        name,
                        contracts.getOrDefault(name, ""),
                        statements.steps(name).stream()
                                .map(step -> StatementText.Step.of(step, style))
                                .toList()))
                .toList();
    }

    /** What a dialect says of its own form comes after what holds everywhere. */
    private static Map<String, String> contracts(DialectFolder folder) {
        Map<String, String> contracts = new LinkedHashMap<>();
        List<String> files = Stream.concat(Statements.FILES.stream(), Stream.of(Statements.LEASES))
                .toList();
        for (DialectFolder layer : folder.layers()) {
            for (String file : files) {
                layer.read(file)
                        .contracts
                        .forEach((name, contract) ->
                                contracts.merge(name, contract, (standard, own) -> (standard + "\n" + own).strip()));
            }
        }
        return contracts;
    }
}
