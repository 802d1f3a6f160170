package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads a batch of T-SQL and says what stands in a wrong place: clauses out of order, hints where none may stand or beside others that
 * conflict, an OUTPUT of another table, a variable that the batch does not declare. It knows the few statements that the dialect uses, and
 * refuses any other. The rules are those of Microsoft's pages about table hints, SELECT, INSERT, UPDATE, DELETE and OUTPUT.
 */
final class TsqlShape {

    private static final Set<String> STARTS =
            Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "DECLARE", "SET", "IF", "BEGIN", "DROP", "CREATE", "THROW");

    private static final Set<String> JOINS = Set.of("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "JOIN");

    private static final Set<String> JOIN_HINTS = Set.of("LOOP", "HASH", "MERGE");

    private static final Set<String> NOT_ON_TARGET = Set.of("NOLOCK");

    private static final Set<String> NOT_ON_INSERT = Set.of("NOLOCK", "READPAST", "READCOMMITTEDLOCK", "FORCESEEK");

    private final Set<String> wrong = new TreeSet<>();
    private final Set<String> made = new HashSet<>();

    private TsqlShape() {}

    /** What is wrong with the batch. */
    static Set<String> wrongIn(String batch) {
        TsqlShape shape = new TsqlShape();
        shape.statements(TsqlNode.read(batch, shape.wrong));
        return shape.wrong;
    }

    /** What is wrong with an expression that stands in a batch. */
    static Set<String> wrongInExpression(String text) {
        TsqlShape shape = new TsqlShape();
        shape.queriesIn(TsqlNode.read(text, shape.wrong));
        shape.wrong.removeIf(found -> found.contains("is not declared") || found.contains("of this batch"));
        return shape.wrong;
    }

    private void statements(List<TsqlNode> batch) {
        int at = 0;
        while (at < batch.size()) {
            at = statement(batch, at);
        }
    }

    /** Returns the place behind the statement. */
    private int statement(List<TsqlNode> batch, int at) {
        String word = batch.get(at).word();
        switch (word) {
            case ";", "ELSE" -> {
                return at + 1;
            }
            case "BEGIN" -> {
                return block(batch, at + 1);
            }
            case "END" -> {
                wrong.add("END without BEGIN");
                return at + 1;
            }
            case "IF" -> {
                int then = at + 1;
                while (then < batch.size() && !STARTS.contains(batch.get(then).word())) {
                    then++;
                }
                expression(batch.subList(at + 1, then));
                if (then == batch.size()) {
                    wrong.add("IF without a statement");
                    return then;
                }
                return statement(batch, then);
            }
            default -> {
                int end = endOf(batch, at);
                one(word, batch.subList(at, end));
                return end;
            }
        }
    }

    private int block(List<TsqlNode> batch, int start) {
        int at = start;
        while (at < batch.size() && !batch.get(at).is("END")) {
            at = batch.get(at).is("TRY") || batch.get(at).is("CATCH") ? at + 1 : statement(batch, at);
        }
        if (at == batch.size()) {
            wrong.add("BEGIN without END");
            return at;
        }
        at++;
        return at < batch.size() && (batch.get(at).is("TRY") || batch.get(at).is("CATCH")) ? at + 1 : at;
    }

    private static int endOf(List<TsqlNode> batch, int start) {
        int cases = 0;
        for (int i = start; i < batch.size(); i++) {
            String word = batch.get(i).word();
            if (word.equals("CASE")) {
                cases++;
            } else if (word.equals("END") && cases > 0) {
                cases--;
            } else if (word.equals(";") || (cases == 0 && (word.equals("END") || word.equals("ELSE")))) {
                return i;
            }
        }
        return batch.size();
    }

    private void one(String word, List<TsqlNode> statement) {
        switch (word) {
            case "SELECT" -> query(statement, true);
            case "INSERT" -> insert(statement);
            case "UPDATE" -> change(statement, List.of("UPDATE", "SET", "OUTPUT", "INTO", "FROM", "WHERE"));
            case "DELETE" -> change(statement, List.of("DELETE", "OUTPUT", "INTO", "FROM", "WHERE"));
            case "DECLARE" -> declare(statement);
            case "SET" -> expression(statement.subList(1, statement.size()));
            case "DROP", "CREATE", "THROW" -> {}
            default -> wrong.add("a statement that begins with " + word);
        }
    }

    private void declare(List<TsqlNode> statement) {
        boolean name = true;
        for (int i = 1; i < statement.size(); i++) {
            TsqlNode node = statement.get(i);
            if (name) {
                made.add(node.text());
            }
            name = node.is(",");
        }
        expression(statement);
    }

    /** A SELECT, or several with UNION ALL between them. */
    private void query(List<TsqlNode> query, boolean outermost) {
        List<List<TsqlNode>> parts = new ArrayList<>(List.of(new ArrayList<>()));
        for (int i = 0; i < query.size(); i++) {
            if (query.get(i).is("UNION")) {
                parts.add(new ArrayList<>());
                i += i + 1 < query.size() && query.get(i + 1).is("ALL") ? 1 : 0;
            } else {
                parts.get(parts.size() - 1).add(query.get(i));
            }
        }
        for (List<TsqlNode> part : parts) {
            TsqlClauses clauses =
                    TsqlClauses.of(wrong, part, List.of("SELECT", "INTO", "FROM", "WHERE", "GROUP", "HAVING", "ORDER"));
            top(clauses.of("SELECT"), 0);
            boolean sorted = clauses.has("ORDER");
            if (sorted
                    && !outermost
                    && (clauses.of("SELECT").isEmpty()
                            || !clauses.of("SELECT").get(0).is("TOP"))) {
                wrong.add("ORDER BY without TOP in a subquery");
            }
            if (sorted && part != parts.get(parts.size() - 1)) {
                wrong.add("ORDER BY before UNION");
            }
            if (clauses.has("INTO")) {
                if (!outermost) {
                    wrong.add("INTO in a subquery");
                }
                clauses.of("INTO").forEach(node -> made.add(node.text()));
            }
            sources(clauses.of("FROM"), "", false);
            clauses.noHints(wrong, "WHERE");
            clauses.all().forEach(this::expression);
        }
    }

    private void insert(List<TsqlNode> statement) {
        if (statement.size() < 3 || !statement.get(1).is("INTO")) {
            wrong.add("INSERT without INTO");
            return;
        }
        int rows = 2;
        while (rows < statement.size()
                && !statement.get(rows).is("SELECT")
                && !statement.get(rows).is("VALUES")) {
            rows++;
        }
        if (rows == statement.size()) {
            wrong.add("INSERT without rows");
        } else if (statement.get(rows).is("SELECT")) {
            query(statement.subList(rows, statement.size()), false);
        } else {
            List<TsqlNode> values = statement.subList(rows, statement.size());
            if (values.stream().anyMatch(node -> node.is("OUTPUT"))) {
                wrong.add("INSERT with OUTPUT behind its rows");
            }
            expression(values);
        }
        List<TsqlNode> head = new ArrayList<>(statement.subList(0, rows));
        head.remove(1);
        TsqlClauses clauses = TsqlClauses.of(wrong, head, List.of("INSERT", "OUTPUT", "INTO"));
        List<TsqlNode> target = clauses.of("INSERT");
        named(target.get(0));
        hints(target, 1, NOT_ON_INSERT);
        output(clauses, target.get(0), Set.of("inserted"));
    }

    /** An UPDATE or a DELETE. */
    private void change(List<TsqlNode> statement, List<String> order) {
        List<TsqlNode> whole = new ArrayList<>(statement);
        int first = top(whole, 1);
        if (order.get(0).equals("DELETE")
                && first < whole.size()
                && whole.get(first).is("FROM")) {
            whole.remove(first);
        }
        if (first >= whole.size()) {
            wrong.add(order.get(0) + " of nothing");
            return;
        }
        TsqlClauses clauses = TsqlClauses.of(wrong, whole, order);
        TsqlNode target = whole.get(first);
        hints(clauses.of(order.get(0)), first, NOT_ON_TARGET);
        if (clauses.has("FROM")) {
            boolean found = sources(clauses.of("FROM"), target.text(), true);
            if (!found) {
                wrong.add(target.text() + " is no table of FROM");
            }
            if (whole.size() > first + 1 && whole.get(first + 1).is("WITH")) {
                wrong.add("hints of " + target.text() + " stand in FROM if there is one");
            }
        } else {
            named(target);
        }
        if (order.contains("SET") && !clauses.has("SET")) {
            wrong.add("UPDATE without SET");
        }
        output(clauses, target, order.contains("SET") ? Set.of("inserted", "deleted") : Set.of("deleted"));
        if (clauses.has("FROM") && first > 1) {
            clauses.qualified(wrong, "WHERE");
            clauses.qualified(wrong, "SET");
        }
        clauses.all().forEach(this::expression);
        clauses.noHints(wrong, "SET");
        clauses.noHints(wrong, "WHERE");
    }

    private void output(TsqlClauses clauses, TsqlNode target, Set<String> of) {
        if (clauses.has("INTO") && !clauses.has("OUTPUT")) {
            wrong.add("INTO without OUTPUT");
        }
        List<TsqlNode> nodes = clauses.of("OUTPUT");
        for (int i = 1; i < nodes.size(); i++) {
            boolean isName = nodes.get(i).is(".");
            if (isName && !of.contains(nodes.get(i - 1).text().toLowerCase(Locale.ROOT))) {
                wrong.add("OUTPUT of " + nodes.get(i - 1).text());
            }
        }
        boolean users = target.text().equals("{table}") || target.text().equals("t");
        if (clauses.has("OUTPUT") && users && !clauses.has("INTO")) {
            wrong.add("OUTPUT without INTO from a table that may have a trigger");
        }
        if (clauses.has("INTO")) {
            named(clauses.of("INTO").get(0));
        }
    }

    /** Returns the place behind TOP. */
    private int top(List<TsqlNode> nodes, int at) {
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).is("TOP") && i != at) {
                wrong.add("TOP is not the first word");
            }
        }
        if (at >= nodes.size() || !nodes.get(at).is("TOP")) {
            return at;
        }
        if (at + 1 >= nodes.size() || nodes.get(at + 1).inside() == null) {
            wrong.add("TOP without parentheses");
            return at + 1;
        }
        return at + 2;
    }

    /** The tables of a FROM; returns whether the target is among them. */
    private boolean sources(List<TsqlNode> from, String target, boolean changed) {
        boolean found = false;
        int at = 0;
        while (at < from.size()) {
            int next = at + 1;
            TsqlNode source = from.get(at);
            boolean isJson = source.is("OPENJSON");
            boolean isTable = source.inside() == null && !isJson;
            while (isTable && next + 1 < from.size() && from.get(next).is(".")) {
                next += 2;
            }
            if (isTable) {
                named(source);
            }
            if (isJson) {
                next++;
                next += next < from.size() && from.get(next).is("WITH") ? 2 : 0;
            }
            String name = from.get(next - 1).text();
            if (next + 1 < from.size() && from.get(next).is("AS")) {
                name = from.get(next + 1).text();
                next += 2;
            }
            boolean isTarget = changed && name.equals(target);
            found |= isTarget;
            if (next < from.size()
                    && from.get(next).is("WITH")
                    && (!isTable || source.text().startsWith("@"))) {
                wrong.add("hints of " + (isTable ? source.text() : "what is no table"));
            }
            next = hints(from, next, isTarget ? NOT_ON_TARGET : Set.of());
            at = join(from, next);
        }
        return found;
    }

    /** Returns the place of the next table, behind a condition. */
    private int join(List<TsqlNode> from, int start) {
        int at = start;
        boolean on = at < from.size() && from.get(at).is("ON");
        while (at < from.size()
                && !JOINS.contains(from.get(at).word())
                && !from.get(at).is(",")) {
            if (!on) {
                wrong.add(from.get(at).text() + " behind a table of FROM");
                return from.size();
            }
            at++;
        }
        if (at == from.size() || from.get(at).is(",")) {
            return at + 1;
        }
        if (at > 0
                && from.get(at).is("JOIN")
                && JOIN_HINTS.contains(from.get(at - 1).word())) {
            wrong.add("a join hint without INNER");
        }
        while (at < from.size() && !from.get(at).is("JOIN")) {
            at++;
        }
        return at + 1;
    }

    /** Hints at this place, if there are any; returns the place behind them. */
    private int hints(List<TsqlNode> nodes, int at, Set<String> not) {
        if (at + 1 >= nodes.size() || !nodes.get(at).is("WITH")) {
            return at;
        }
        wrong.addAll(TsqlHints.wrongIn(nodes.get(at + 1).inside(), not));
        return at + 2;
    }

    private void expression(List<TsqlNode> nodes) {
        nodes.stream()
                .map(TsqlNode::text)
                .filter(text -> text.startsWith("@") && !text.startsWith("@@") && !made.contains(text))
                .forEach(text -> wrong.add(text + " is not declared"));
        queriesIn(nodes);
    }

    private void queriesIn(List<TsqlNode> nodes) {
        for (TsqlNode node : nodes) {
            if (node.isQuery()) {
                query(node.inside(), false);
            } else if (node.inside() != null) {
                expression(node.inside());
            }
        }
    }

    private void named(TsqlNode table) {
        boolean ofBatch = table.text().startsWith("@") || table.text().startsWith("#");
        if (ofBatch && !made.contains(table.text())) {
            wrong.add(table.text() + " is no table of this batch");
        }
    }
}
