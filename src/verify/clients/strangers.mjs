/**
 * What dibs.mjs answers for a token that a stranger sends, and that cannot be one: node strangers.mjs PATH_OF_DIBS_MJS. There is no database:
 * nothing is asked of it.
 */

const { Dibs, DibsError } = await import(process.argv[2])

const ONE = 'A'.repeat(43)

const store = new Dibs(async () => { throw new Error('nothing is to be asked') })
const tokens = store.tokens('sign-in')
for (const text of [undefined, null, 7, [ONE], '', 'x', '\ud800', '\ud800'.repeat(43), ONE + '\n', ONE + 'A', '\u00e4' + ONE.slice(1)]) {
  const { status } = await tokens.consume(text)
  console.log(status === 'unknown' ? `ok: ${status}` : `FAULT: ${status} for ${JSON.stringify(text)}`)
}
try {
  console.log(`FAULT: ${(await tokens.consume(ONE)).status}`)
} catch (error) {
  console.log(error instanceof DibsError ? 'ok: a text of 43 characters is asked for' : `FAULT: ${error}`)
}
process.exit(0)
