/** Other processes for tests, which die with their parent. */
package dev.dibs.process;
