/**
 * How dibs.mjs counts time while its clocks are set or the machine sleeps: node clock.mjs PATH_OF_DIBS_MJS. The driver is a stand-in that grants
 * each lease and answers nothing else, and both clocks are ours.
 */

const HOUR = 3_600_000
let monotonic = 1000
let wall = 1_700_000_000_000
performance.now = () => monotonic
Date.now = () => wall

const { Dibs } = await import(process.argv[2])

const pass = millis => {
  monotonic += millis
  wall += millis
}

const driver = {
  on () {},
  end: async () => {},
  async query ({ text, values }) {
    if (!text.includes('INSERT INTO dibs_lock')) return new Promise(() => {})
    const owner = values.find(value => /^[0-9a-f]{32}$/.test(value))
    return { rows: [{ name: 'x', owner, holder: 'me', fence: 1, acquired_at: 1, held_until: 2, read_at: 1 }], rowCount: 1, fields: [] }
  }
}

/** Whether a lease of a second is believed in after these steps; before one step the lease is acquired. */
async function believes (...steps) {
  const store = new Dibs(async () => driver, { lease: 1000 })
  let lease
  for (const step of steps) {
    if (step === 'acquire') lease = await store.lock('x').acquire()
    else step()
    if (lease) lease.remaining()
  }
  return lease.valid
}

const ahead = () => { wall += HOUR }
const back = () => { wall -= HOUR }
const asleep = () => { wall += 2000 }

const expected = [
  ['a lease that is over', false, ['acquire', () => pass(2000)]],
  ['the clock was ahead and is set right', true, [ahead, 'acquire', back, () => pass(100)]],
  ['the clock was ahead and is set right, and the lease is over', false, [ahead, 'acquire', back, () => pass(2000)]],
  ['the machine slept', false, ['acquire', asleep]],
  ['the clock is set back', true, ['acquire', back, () => pass(100)]],
  ['the clock was set right, and the machine slept', false, [ahead, 'acquire', back, asleep]],
  ['the machine slept, and the clock is set back', false, ['acquire', asleep, back]]
]
for (const [what, wanted, steps] of expected) {
  console.log(`${await believes(...steps) === wanted ? 'ok' : 'FAULT'}: ${what}`)
}
process.exit(0)
