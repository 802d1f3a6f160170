/**
 * Claims and completes the rows of tables with keys of many types: node keys.mjs PATH_OF_DIBS_MJS TABLE..
 *
 * A table has the columns id, claimed_by, claimed_until and done, a row without a key, and one with a key. Bytes can be named by their
 * hexadecimal digits, too. `refused` is right for a type that dibs.mjs does not know.
 */

import { createRequire } from 'node:module'

const [path, ...tables] = process.argv.slice(2)
const { Dibs, DibsError } = await import(path)
const require = createRequire(path)
const { DIBS_HOST: host, DIBS_PORT, DIBS_DATABASE: database, DIBS_USER: user, DIBS_PASSWORD: password, DIBS_DIALECT } = process.env
const address = { host, port: Number(DIBS_PORT), database, user, password }

/** Of mysql2 a row is an array, if a program wants that. */
async function connect () {
  if (DIBS_DIALECT !== 'postgresql') return require('mysql2/promise').createConnection({ ...address, supportBigNumbers: true, rowsAsArray: true })
  const client = new (require('pg').Client)(address)
  await client.connect()
  return client
}

async function judge (store, table) {
  let claims, claim
  try {
    claims = await store.claims(table, { where: 'done = 0', completeSet: 'done = 1' })
    claim = await claims.claim(100)
  } catch (error) {
    if (error instanceof DibsError) return 'refused'
    throw error
  }
  let keys = claim.rows.map(row => row.id)
  if (keys.length !== 1) return `FAULT: claimed ${keys}`
  if (keys[0] instanceof Uint8Array) {
    await claim.release([keys[0].toString('hex').toUpperCase().replace(/(..)(?=.)/g, '$1-')])
    claim = await claims.claim(100)
    keys = claim.rows.map(row => row.id)
  }
  await claim.renew()
  const { done, lost } = await claim.complete(keys)
  const left = (await claims.claim(100)).rows
  const isRight = String(done) === String(keys) && done.every((key, i) => key === keys[i]) && !lost.length && !left.length
  return isRight ? 'ok' : `FAULT: of ${keys} completed ${done}, lost ${lost}, left ${JSON.stringify(left)}`
}

const store = new Dibs(connect)
for (const table of tables) console.log(`${table} ${await judge(store, table)}`)
await store.close()
process.exit(0)
