/** Looks at the key and the indexes of the user's table, and says which index claims would need. */
@NullMarked
package dev.dibs.internal.claims.advice;

import org.jspecify.annotations.NullMarked;
