/** The pages of the documentation: their blocks of code, compiled and run as a reader would. */
package dev.dibs.pages;
