/** Lets `dibs conformance` drive dibs.mjs: dibs conformance --url jdbc:.. -- node clients/node/conformance.mjs */

import { createInterface } from 'node:readline'
import { Dibs, DibsError } from './dibs.mjs'

const { DIBS_HOST: host, DIBS_PORT, DIBS_DATABASE: database, DIBS_USER: user, DIBS_PASSWORD: password, DIBS_DIALECT } = process.env
const port = Number(DIBS_PORT)

async function connect () {
  if (DIBS_DIALECT === 'postgresql') {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ host, port, database, user, password, connectionTimeoutMillis: 5000 })
    await client.connect()
    return client
  }
  const { default: mysql } = await import('mysql2/promise')
  return mysql.createConnection({ host, port, database, user, password, charset: 'utf8mb4', connectTimeout: 5000 })
}

const store = new Dibs(connect, { holder: 'conformance' })
let lease = null
let claimed = null
const claims = new Map()
const awaited = new Set()

/** Whether it refuses to join a connection on which no transaction is open after these statements. */
async function outside (statements, join) {
  const connection = await connect()
  try {
    for (const statement of statements) await connection.query(statement)
    await join(connection)
    return { refused: false }
  } catch (error) {
    if (error instanceof RangeError || error instanceof DibsError) return { refused: true }
    throw error
  } finally {
    Promise.resolve(connection.end()).catch(() => {})
  }
}

/** Read first and written later: what only the guard makes safe. */
async function addIn (guard, table, millis) {
  const connection = await connect()
  connection.on('error', () => {})
  try {
    await connection.query('BEGIN')
    await guard(connection)
    const read = await connection.query(`SELECT n FROM ${table} WHERE id = 1`)
    const [row] = read.rows ?? read[0]
    await new Promise(resolve => setTimeout(resolve, millis))
    await connection.query(`UPDATE ${table} SET n = ${Number(row.n) + 1} WHERE id = 1`)
    await connection.query('COMMIT')
    return { added: true }
  } catch (error) {
    if (error instanceof DibsError) return { added: false }
    throw error
  } finally {
    Promise.resolve(connection.end()).catch(() => {})
  }
}

const numbers = ({ done, lost }) => ({ done: done.map(Number), lost: lost.map(Number) })

const verbs = {
  async acquire ({ name, leaseMillis, waitMillis }) {
    lease = await store.lock(name, { lease: leaseMillis }).tryAcquire({ wait: waitMillis })
    return { got: lease !== null, fence: lease?.fence }
  },

  async valid () {
    return { valid: lease?.valid ?? false }
  },

  async add ({ table, millis }) {
    return addIn(connection => lease.guard(connection), table, millis)
  },

  async add_free ({ name, table, millis }) {
    const lock = store.lock(name)
    // Once, whatever it answers: later only the guard decides.
    if (!awaited.has(name)) await lock.awaitFree()
    awaited.add(name)
    return addIn(async connection => {
      if (!await lock.tryGuard(connection)) throw new DibsError('busy')
    }, table, millis)
  },

  async guard_outside ({ after }) {
    return outside(after, connection => lease.guard(connection))
  },

  async release () {
    return { released: await lease?.release() ?? false }
  },

  async claim ({ table, n, leaseMillis }) {
    if (!claims.has(table)) {
      claims.set(table, await store.claims(table, { where: 'done = 0', completeSet: 'done = done + 1', lease: leaseMillis }))
    }
    claimed = await claims.get(table).claim(n)
    return { keys: claimed.keys.map(Number) }
  },

  async claim_valid () {
    return { valid: claimed.valid }
  },

  async complete ({ keys }) {
    return numbers(await claimed.complete(keys))
  },

  async complete_outside ({ keys, after }) {
    return outside(after, connection => claimed.completeIn(connection, keys))
  },

  async complete_joined ({ keys, commit, millis }) {
    const connection = await connect()
    try {
      await connection.query('BEGIN')
      const changed = await claimed.completeIn(connection, keys)
      await new Promise(resolve => setTimeout(resolve, millis))
      await connection.query(commit ? 'COMMIT' : 'ROLLBACK')
      return numbers(changed)
    } finally {
      Promise.resolve(connection.end()).catch(() => {})
    }
  },

  async release_claim () {
    return numbers(await claimed.release())
  },

  async consume ({ purpose, token }) {
    return { status: (await store.tokens(purpose).consume(token)).status }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  let answer
  try {
    answer = verbs[request.do] ? await verbs[request.do](request) : { unsupported: true }
  } catch (error) {
    answer = { error: String(error.message) }
  }
  console.log(JSON.stringify(answer))
}
process.exit(0)
