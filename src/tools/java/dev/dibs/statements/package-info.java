/** The statements as they are sent, with their contracts: for people, and for programs in other languages. */
@NullMarked
package dev.dibs.statements;

import org.jspecify.annotations.NullMarked;
