/** The house rules, as tests: {@link dev.dibs.rules.HouseRulesTest}. */
package dev.dibs.rules;
