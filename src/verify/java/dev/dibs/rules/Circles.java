package dev.dibs.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Classes that need each other, directly or through others. Nested classes count as the class of their file.
 *
 * <p>Tarjan's algorithm for strongly connected components: Depth-first search and linear graph algorithms, SIAM Journal on
 * Computing 1 (1972).
 */
final class Circles {

    private final Map<String, Set<String>> needs = new HashMap<>();
    private final Map<String, Integer> order = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final Set<String> isOpen = new HashSet<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Circles() {}

    /** Each circle as the names of its classes; one class alone is none. */
    static List<Set<String>> among(JavaClasses classes) {
        Circles circles = new Circles();
        for (JavaClass type : classes) {
            Set<String> needs = circles.needs.computeIfAbsent(file(type), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> classes.contain(target.getFullName()))
                    .map(Circles::file)
                    .forEach(needs::add);
        }
        for (String name : new TreeSet<>(circles.needs.keySet())) {
            if (!circles.order.containsKey(name)) {
                circles.visit(name);
            }
        }
        return circles.found;
    }

    private static String file(JavaClass type) {
        return type.getFullName().replaceAll("\\$.*", "");
    }

    private void visit(String name) {
        order.put(name, order.size());
        lowest.put(name, order.get(name));
        open.push(name);
        isOpen.add(name);
        for (String next : needs.get(name)) {
            if (!order.containsKey(next)) {
                visit(next);
                lowest.merge(name, lowest.get(next), Math::min);
            } else if (isOpen.contains(next)) {
                lowest.merge(name, order.get(next), Math::min);
            }
        }
        if (lowest.get(name).equals(order.get(name))) {
            close(name);
        }
    }

    private void close(String root) {
        Set<String> circle = new TreeSet<>();
        String last;
        do {
            last = open.pop();
            isOpen.remove(last);
            circle.add(last);
        } while (!last.equals(root));
        if (circle.size() > 1) {
            found.add(circle);
        }
    }
}
