/**
 * Clients that hang up at random moments of an answer, of each kind; then compares the requests that the gateway's log
 * tells of with its usage rows.
 *
 *   bun test/money/hangups.ts [hang-ups]
 */
import { dollar, startWorld, until } from "./world.ts"
import type { Account, Ask, World } from "./world.ts"

export interface Hangups {
  /** Clients that left before their answer was whole, and those that stayed. */
  readonly left: number
  readonly stayed: number
  /** Requests that the gateway read: one whose client left before that has used nothing and never was one. */
  readonly reached: number
  readonly usageRows: number
  /** Rows of answers that were not delivered whole. */
  readonly undelivered: number
  /** Requests without a usage row, rows without a request, rows that came twice: all must be 0. */
  readonly unpaid: number
  readonly unasked: number
  readonly paidTwice: number
  /** Finished answers that cost anything but their price, dollars that are held or settled beyond the rows: likewise. */
  readonly mispriced: number
  readonly stuckHolds: number
  readonly drift: number
}

type Counted = Omit<Hangups, "left" | "stayed">

const key = "leaver"
const asks: ReadonlyArray<Ask> = [
  { key, family: "messages" },
  { key, family: "messages", body: { stream: true } },
  { key, family: "responses", body: { store: false } },
  { key, family: "responses", body: { stream: true } },
  { key, family: "chat" },
  { key, family: "chat", body: { stream: true } },
  { key, family: "several" },
  { key, family: "several", body: { stream: true } },
  { key, family: "embeddings" }
]
const clients = 16
const longestStayMs = 250

export const hangUps = async (hangups: number, log: (line: string) => void = () => {}): Promise<Hangups> => {
  const world = await startWorld([key], { balanceUsd: hangups * 10 })
  try {
    // The vocabulary that counts what was produced is read at its first use.
    for (const ask of asks.slice(0, 1)) await world.ask(ask)
    const seen = { left: 0, stayed: 1 }
    const leave = () => {
      if (++seen.left % 1_000 === 0) log(`${seen.left} of ${hangups} hang-ups`)
    }
    const client = async () => {
      while (seen.left < hangups) {
        const n = seen.left + seen.stayed
        const ask = asks[n % asks.length] ?? { key, family: "messages" }
        const leaving = new AbortController()
        const timer = setTimeout(() => leaving.abort(), Math.random() * longestStayMs)
        await world.ask({ ...ask, signal: leaving.signal }).then(() => void seen.stayed++, leave)
        clearTimeout(timer)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    return { ...seen, ...(await counted(world)) }
  } finally {
    await world.dispose()
  }
}

/** Compares both sides once they agree, or no longer change: each is written a moment later. */
const counted = async (world: World): Promise<Counted> => {
  const look = async () => {
    const balance = (await (await world.call("/v1/balance", key)).json()) as { held: { nano_usd: number } }
    const reached = requestIds(world.gateway().output())
    return compared({ ...world.account(key), held: balance.held.nano_usd }, reached)
  }
  const isWhole = (seen: Counted) => seen.unpaid + seen.unasked + seen.stuckHolds === 0
  return until(look, isWhole).catch(look)
}

const compared = ({ held, settled, usage }: Account, reached: ReadonlySet<string>): Counted => {
  const paid = new Set(usage.map((row) => row.request_id))
  const finished = usage.filter(({ outcome }) => outcome === "finished")
  return {
    reached: reached.size,
    usageRows: usage.length,
    undelivered: usage.filter(({ outcome }) => outcome === "hang-up").length,
    unpaid: reached.difference(paid).size,
    unasked: paid.difference(reached).size,
    paidTwice: usage.length - paid.size,
    mispriced: finished.filter(({ cost }) => cost !== dollar).length,
    stuckHolds: held / dollar,
    drift: settled - usage.reduce((sum, { cost }) => sum + cost, 0)
  }
}

/** The requests that the gateway's own log tells of. */
const requestIds = (log: string): ReadonlySet<string> =>
  new Set(
    log
      .split("\n")
      .filter((line) => line.includes('"event":"request"') && line.includes('"POST"'))
      .map((line) => (JSON.parse(line) as { request_id: string }).request_id)
  )

if (import.meta.main) {
  const began = performance.now()
  const result = await hangUps(Number(process.argv[2] ?? 10_000), (line) => console.log(line))
  console.log(result)
  const { drift, left, mispriced, paidTwice, reached, stuckHolds, unasked, unpaid, usageRows } = result
  const wrong = unpaid + unasked + paidTwice + mispriced + stuckHolds + Math.abs(drift)
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(
    `${left} hang-ups in ${seconds} s, ${reached} requests reached the gateway: ` +
      `${usageRows} usage rows, ${unpaid} requests without one, ${wrong - unpaid} other faults`
  )
  process.exit(wrong === 0 ? 0 : 1)
}
