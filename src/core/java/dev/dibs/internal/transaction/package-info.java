/** Transactions that Dibs joins or ends. Not exported. */
@NullMarked
package dev.dibs.internal.transaction;

import org.jspecify.annotations.NullMarked;
