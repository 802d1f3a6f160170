package dev.dibs.cdi;

import jakarta.enterprise.lang.model.AnnotationInfo;
import jakarta.enterprise.lang.model.AnnotationMember;
import jakarta.enterprise.lang.model.AnnotationTarget;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import jakarta.enterprise.lang.model.declarations.ParameterInfo;
import jakarta.enterprise.lang.model.types.Type;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a method must be like, so that its annotation can keep its promise. */
final class MethodRules {

    static final String TRANSACTIONAL = "jakarta.transaction.Transactional";

    private static final Set<String> ASYNCHRONOUS = Set.of(
            "jakarta.enterprise.concurrent.Asynchronous",
            "jakarta.ejb.Asynchronous",
            "org.eclipse.microprofile.faulttolerance.Asynchronous");
    private static final Set<String> LATE = Set.of(
            "java.util.concurrent.Future",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni",
            "io.smallrye.mutiny.Multi");

    private MethodRules() {}

    /** The reason for which a method is refused, with its place. Empty for a method without an annotation. */
    static Optional<String> check(ClassInfo type, MethodInfo method) {
        boolean locked = method.hasAnnotation(Locked.class);
        if (!locked && !method.hasAnnotation(OncePer.class)) {
            return Optional.empty();
        }
        String place = (locked ? "@Locked" : "@OncePer") + " at " + type.name() + "." + method.name() + "(): ";
        return Stream.of(
                        signature(type, method),
                        transaction(type, method),
                        locked ? lock(method) : period(method),
                        locked ? lease(type, method) : null,
                        locked ? null : name(type, method))
                .filter(why -> why != null)
                .map(place::concat)
                .findFirst();
    }

    /** Refuses a method whose work goes on after it has returned, or that is not intercepted. */
    private static @Nullable String signature(ClassInfo type, MethodInfo method) {
        if (method.isStatic() || method.isFinal() || Modifier.isPrivate(method.modifiers())) {
            return "CDI does not intercept a private, static or final method";
        }
        if (isLate(method.returnType())) {
            return "its result is computed after the method has returned and the lock is released."
                    + " Wait for the result in the method, and return that";
        }
        if (method.parameters().stream()
                .anyMatch(parameter -> isOneOf(parameter.type(), Set.of("kotlin.coroutines.Continuation")))) {
            return "a suspend function returns before its work is done. Annotate a function that blocks";
        }
        if (Stream.of(method, type).anyMatch(MethodRules::isAsynchronous)) {
            return "the work of an @Asynchronous method goes on after the lock is released."
                    + " Let it call a method of another bean that has the annotation";
        }
        return null;
    }

    /** Refuses a transaction that does not begin and end with the method. */
    private static @Nullable String transaction(ClassInfo type, MethodInfo method) {
        return Stream.of(method, method.declaringClass(), type)
                .flatMap(target -> annotation(target, TRANSACTIONAL).stream())
                .findFirst()
                .map(transactional -> transactional.member("value"))
                .map(AnnotationMember::asEnumConstant)
                .filter(kind -> !kind.equals("REQUIRED") && !kind.equals("REQUIRES_NEW"))
                .map(kind ->
                        "its transaction must begin and end with the method, so that the lock is released after the commit."
                                + " Use REQUIRED or REQUIRES_NEW in place of " + kind)
                .orElse(null);
    }

    private static @Nullable String lock(MethodInfo method) {
        if (method.hasAnnotation(OncePer.class)) {
            return "it has @Locked and @OncePer. @OncePer already keeps other callers out: leave @Locked out";
        }
        List<String> keys = method.parameters().stream()
                .filter(parameter -> parameter.hasAnnotation(LockKey.class))
                .map(parameter -> text(parameter.annotation(LockKey.class), "value", ""))
                .toList();
        if (keys.size() > 1) {
            return "it has @LockKey at several parameters. Mark one, or make one key of them";
        }
        if (!keys.stream().allMatch(KeyPath::isValid)) {
            return "the key '" + keys.get(0) + "' is not the name of a property, such as id or customer.id";
        }
        return duration(text(method.annotation(Locked.class), "waitFor", "0s"));
    }

    /** Refuses a lock without a lease for a method that begins no transaction. */
    private static @Nullable String lease(ClassInfo type, MethodInfo method) {
        AnnotationMember lease = method.annotation(Locked.class).member("lease");
        boolean transactional = Stream.of(method, method.declaringClass(), type)
                .anyMatch(target -> annotation(target, TRANSACTIONAL).isPresent());
        return lease == null || lease.asBoolean() || transactional
                ? null
                : "without a lease, the lock is the transaction's, and the method has none. Add @Transactional, or leave"
                        + " lease = false out";
    }

    private static @Nullable String period(MethodInfo method) {
        if (!method.returnType().isVoid()) {
            return "it must be void, because there is no result when the work is not due";
        }
        if (method.parameters().stream().anyMatch(parameter -> parameter.hasAnnotation(LockKey.class))) {
            return "@LockKey is for methods with @Locked. Ask dibs.once(name, key) for work that is done once for each key";
        }
        return duration(text(method.annotation(OncePer.class), "value", ""));
    }

    /** Refuses two methods of one name: the second one would never run. */
    private static @Nullable String name(ClassInfo type, MethodInfo method) {
        boolean overloaded = hasDefaultName(method)
                && type.methods().stream()
                                .filter(other -> other.name().equals(method.name()) && hasDefaultName(other))
                                .map(other -> other.parameters().stream()
                                        .map(ParameterInfo::type)
                                        .toList())
                                .distinct()
                                .count()
                        > 1;
        return overloaded
                ? "another method has the same name by default, and each period only one of them would run."
                        + " Give each a name: @OncePer(value = \"P1D\", name = \"..\")"
                : null;
    }

    private static boolean hasDefaultName(MethodInfo method) {
        return method.hasAnnotation(OncePer.class)
                && text(method.annotation(OncePer.class), "name", "").isEmpty();
    }

    private static @Nullable String duration(String text) {
        try {
            Durations.parse(text);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private static String text(AnnotationInfo annotation, String member, String otherwise) {
        AnnotationMember value = annotation.member(member);
        return value == null ? otherwise : value.asString();
    }

    private static boolean isAsynchronous(AnnotationTarget target) {
        return ASYNCHRONOUS.stream().anyMatch(name -> annotation(target, name).isPresent());
    }

    /** By its name: the application need not have that class. */
    private static Optional<AnnotationInfo> annotation(AnnotationTarget target, String name) {
        return target.annotations().stream()
                .filter(annotation -> annotation.name().equals(name))
                .findFirst();
    }

    private static boolean isLate(Type type) {
        return isOneOf(type, LATE);
    }

    private static boolean isOneOf(Type type, Set<String> names) {
        if (type.isClass()) {
            return isOneOf(type.asClass().declaration(), names);
        }
        return type.isParameterizedType() && isOneOf(type.asParameterizedType().declaration(), names);
    }

    private static boolean isOneOf(@Nullable ClassInfo type, Set<String> names) {
        return type != null
                && (names.contains(type.name())
                        || isOneOf(type.superClassDeclaration(), names)
                        || type.superInterfacesDeclarations().stream()
                                .anyMatch(superType -> isOneOf(superType, names)));
    }
}
