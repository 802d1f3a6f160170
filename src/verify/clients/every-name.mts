// A program in TypeScript that uses every public name of the package. It runs against PostgreSQL: DIBS_HOST and so on, as dibs conformance has them.
import * as all from 'dibs-client'
import { ClaimLost, Dibs, DibsError, LeaseLost, NotAcquired } from 'dibs-client'
import type { Changed, Claim, ClaimOptions, Claims, Connection, Key, Lease, Lock, Row, Token, Tokens } from 'dibs-client'
import pg from 'pg'

/** All names of a type: the compiler refuses one too many, or one too few. */
type Names<T> = { [name in keyof T]-?: true }

function requireAll<T extends object> (what: T, names: Names<T>): T {
  for (const name of Object.keys(names)) {
    if (!(name in what)) throw new Error(`${what.constructor.name} has no ${name}`)
  }
  return what
}

const exported: { [name in keyof typeof all]: unknown } = { ClaimLost, Dibs, DibsError, LeaseLost, NotAcquired }
if (Object.keys(all).sort().join() !== Object.keys(exported).sort().join()) throw new Error(`it exports ${Object.keys(all).join()}`)

const { DIBS_HOST: host, DIBS_PORT: port, DIBS_DATABASE: database, DIBS_USER: user, DIBS_PASSWORD: password } = process.env

async function connect (): Promise<pg.Client> {
  const client = new pg.Client({ host, port: Number(port), database, user, password })
  await client.connect()
  return client
}

const store: Dibs = requireAll(new Dibs(connect, { lease: 30_000, holder: 'every-name' }),
  { createSchema: true, lock: true, claims: true, tokens: true, close: true })
const connection: Connection = await connect()
await store.createSchema()

const lock: Lock = requireAll(store.lock('every-name', { lease: 10_000 }), { name: true, run: true, tryAcquire: true, acquire: true, awaitFree: true, tryGuard: true })
const seen: number = await lock.run({ wait: 1000 }, async (lease: Lease) => {
  requireAll(lease, { name: true, fence: true, valid: true, remaining: true, check: true, onLost: true, guard: true, release: true })
  lease.onLost((lost: LeaseLost) => console.error(lost.message))
  const rival: Lease | null = await lock.tryAcquire()
  if (rival !== null) throw new Error('two hold it')
  await lock.acquire({ wait: 1 }).then(() => { throw new Error('two hold it') }, (error: unknown) => {
    if (!(error instanceof NotAcquired) || error.holder !== 'every-name') throw error
  })
  await connection.query('BEGIN')
  await lease.guard(connection)
  await connection.query('COMMIT')
  await connection.query('BEGIN')
  const free: boolean = await lock.awaitFree({ wait: 10 })
  const guarded: boolean = await lock.tryGuard(connection)
  await connection.query('ROLLBACK')
  if (guarded) throw new Error('two hold it')
  return lease.fence
})
if (!(seen > 0)) throw new Error('no fence')

await connection.query('CREATE TABLE every_name (id int PRIMARY KEY, claimed_by varchar(32), claimed_until bigint, done int)')
await connection.query('INSERT INTO every_name (id, done) VALUES (1, 0), (2, 0), (3, 0)')
const options: Required<Omit<ClaimOptions, 'completeDelete'>> = {
  key: 'id', token: 'claimed_by', until: 'claimed_until', where: 'done = 0', order: 'id', completeSet: 'done = 1', lease: 10_000
}
const claims: Claims = requireAll(await store.claims('every_name', options), { table: true, run: true, claim: true })
await claims.run(3, async (claim: Claim) => {
  requireAll(claim, {
    token: true, rows: true, keys: true, held: true, valid: true, remaining: true, check: true, onLost: true, renew: true, complete: true,
    completeIn: true, release: true, close: true
  })
  claim.onLost((lost: ClaimLost) => console.error(lost.keys))
  const [row]: Row[] = claim.rows
  const first: Key = row?.id
  if ((await claim.renew()).done.length !== 3) throw new Error('not renewed')
  const completed: Changed = await claim.complete([first])
  await connection.query('BEGIN')
  const joined = await claim.completeIn(connection, [2])
  await connection.query('COMMIT')
  const renewed: Changed = await claim.renew()
  if (renewed.done.join() !== '3' || renewed.lost.length) throw new Error('lost, though it is completed')
  const released = await claim.release()
  if (completed.done.join() !== '1' || joined.done.join() !== '2' || released.done.join() !== '3') throw new Error('not 1, 2 and 3')
})
await connection.query('DROP TABLE every_name')

const tokens: Tokens = requireAll(store.tokens('every-name'), { purpose: true, issue: true, consume: true })
const text: string = await tokens.issue('me', { ttl: 60_000, payload: 'of mine' })
const token: Token = await tokens.consume(text)
if (token.status !== 'ok' || token.subject !== 'me' || token.payload !== 'of mine') throw new Error(`the token is ${token.status}`)

await store.close()
await connection.end()
console.log('ok')
