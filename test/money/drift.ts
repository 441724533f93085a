/**
 * Kills a gateway with SIGKILL at random moments under traffic of every family, with and without idempotency keys and
 * hang-ups; then compares every sum with its rows, and what clients were told with what they paid.
 *
 *   bun run test:long money [--kills 1000]
 */
import { everySum } from "./everySum.ts"
import { join } from "node:path"
import { ledgerOf } from "./ledgerOf.ts"
import { watchOverdrawn } from "./overdrawn.ts"
import { dollar, secretOf, startWorld, until } from "./world.ts"
import type { Ask } from "./world.ts"

export interface Drift {
  readonly kills: number
  readonly requests: number
  readonly answered: number
  readonly usageRows: number
  /** Whole answers without a usage row, usage rows that came twice, holds that stayed: all must be 0. */
  readonly unpaid: number
  readonly paidTwice: number
  readonly stuckHolds: number
  /** Moments at which an account had less than nothing: 0. */
  readonly overdrawn: number
  /** Requests under one key that got different answers. */
  readonly differing: number
  /** Sums that differ from the ledger, a line each. */
  readonly wrongSums: ReadonlyArray<string>
}

const account = "killed"
const adminKey = "admin-key-0123456789abcdefghijklmnop"
const kinds: ReadonlyArray<Omit<Ask, "key">> = [
  { family: "messages" },
  { family: "responses", body: { store: false } },
  { family: "messages", body: { stream: true } },
  { family: "chat" },
  { family: "several" },
  { family: "embeddings" },
  { family: "async" },
  { family: "videos" }
]

export const drift = async (kills: number, log: (line: string) => void = () => {}): Promise<Drift> => {
  const world = await startWorld([account], { balanceUsd: 1_000_000, env: { GATEWAY_ADMIN_KEY: adminKey } })
  const watched = await watchOverdrawn(join(world.folder, "data/gateway.db"))
  let running = true
  let requests = 0
  /** Of the synchronous families, by request id: answered whole. */
  const answered = new Set<string>()
  const byKey = new Map<string, Set<string>>()

  const client = async () => {
    while (running) {
      const n = requests++
      const kind = kinds[n % kinds.length]!
      const idempotencyKey = n % 3 === 0 ? `k${Math.floor(n / 30)}-${n % kinds.length}` : undefined
      const leaving = n % 7 === 0 ? AbortSignal.timeout(Math.random() * 150) : AbortSignal.timeout(20_000)
      try {
        const answer = await world.ask({
          ...kind,
          key: account,
          signal: leaving,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey })
        })
        if (answer.status !== 200) continue
        const isWhole = kind.body === undefined || !("stream" in kind.body) || answer.text.includes("message_stop")
        if (!isWhole) continue
        if (idempotencyKey !== undefined) {
          const texts = byKey.get(idempotencyKey) ?? new Set()
          byKey.set(idempotencyKey, texts.add(answer.text))
        } else if (kind.family !== "async" && kind.family !== "videos") {
          answered.add(answer.headers.get("x-request-id") ?? "")
        }
      } catch {
        // The process is gone, or this client is: no answer was received.
        await Bun.sleep(20)
      }
    }
  }

  const clients = Array.from({ length: 12 }, client)
  for (let kill = 0; kill < kills; kill++) {
    // One at any moment, the next after the first answer: the start may take all of the time.
    const before = answered.size
    if (kill % 2 === 1)
      await until(
        () => answered.size,
        (now) => now > before
      )
    await Bun.sleep(100 + Math.random() * 500)
    await world.restart("SIGKILL")
    // Fails where a sum differs from its rows.
    const { settled, usage } = world.account(account)
    if (kill % 20 === 0) log(`${kill + 1} kills, ${usage.length} usage rows, $${settled / dollar} settled`)
  }
  await Bun.sleep(500)
  running = false
  await Promise.all(clients)
  const end = await until(
    () => world.account(account),
    ({ held }) => held === 0,
    60_000
  ).catch(() => world.account(account))
  // Appended usage rows are written a moment later.
  await Bun.sleep(500)
  const { usage } = world.account(account)
  const paid = new Set(usage.map((row) => row.request_id))
  const { url } = world.gateway()
  let ledger = await ledgerOf(world.folder)
  let wrongSums: ReadonlyArray<string> = []
  for (;;) {
    wrongSums = await everySum({ url, adminKey, secretOf, ledger, wereKilled: true })
    const after = await ledgerOf(world.folder)
    // What was settled while sums were read is in some of them.
    if (after.paid.length === ledger.paid.length) break
    ledger = after
  }
  const overdrawn = (await watched.found()).length
  await world.dispose()
  return {
    kills,
    requests,
    answered: answered.size,
    usageRows: usage.length,
    unpaid: [...answered].filter((id) => !paid.has(id)).length,
    paidTwice: usage.length - paid.size,
    stuckHolds: end.held / dollar,
    overdrawn,
    differing: [...byKey.values()].filter((texts) => texts.size > 1).length,
    wrongSums
  }
}

if (import.meta.main) {
  const at = process.argv.indexOf("--kills")
  const result = await drift(at === -1 ? 100 : Number(process.argv[at + 1]), (line) => console.log(line))
  console.log(JSON.stringify(result))
  const { differing, overdrawn, paidTwice, stuckHolds, unpaid, wrongSums } = result
  process.exit(unpaid + paidTwice + stuckHolds + overdrawn + differing + wrongSums.length === 0 ? 0 : 1)
}
