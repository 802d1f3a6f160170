/** Where claims are stored, and the statements for it: in the user's table, in the claim table, or as ranges. Not exported. */
@NullMarked
package dev.dibs.internal.claims.store;

import org.jspecify.annotations.NullMarked;
