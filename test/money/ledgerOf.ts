import { join } from "node:path"
import { Database } from "bun:sqlite"

/** A usage row, as far as it is money: in nano-dollars. */
export interface Paid {
  readonly at: number
  readonly request_id: string
  readonly account_id: string
  readonly key_id: string
  readonly model: string
  readonly upstream: string
  readonly outcome: string
  readonly task_id: string | null
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cost: number
  readonly upstreamCost: number
}

/** What a gateway's database says: every usage row, and the sums that are kept beside them. */
export interface Ledger {
  readonly paid: ReadonlyArray<Paid>
  /** By the name of a table or column: the sum of its charges. */
  readonly kept: Readonly<Record<string, number>>
  /** Tokens by the name of a table, and the calls to upstreams. */
  readonly counted: Readonly<Record<string, number>>
  readonly requestIds: ReadonlySet<string>
}

type Ask = (text: string) => Promise<ReadonlyArray<Record<string, unknown>>>

const paidRows = `SELECT at, request_id, account_id, key_id, model, upstream, outcome, task_id,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd AS cost,
  upstream_cost_nano_usd AS upstream_cost FROM usage ORDER BY id`

const keptSums = {
  "usage_days.cost": "SELECT SUM(cost_nano_usd) AS n FROM usage_days",
  "usage_hours.cost": "SELECT SUM(cost_nano_usd) AS n FROM usage_hours",
  "key_spending.cost": "SELECT SUM(nano_usd) AS n FROM key_spending",
  "accounts.settled": "SELECT SUM(settled_nano_usd) AS n FROM accounts"
} as const

const cached = "SUM(cache_read_tokens) * 7 + SUM(cache_write_tokens) * 11 + SUM(input_tokens) + SUM(output_tokens)"

const counts = {
  usage: `SELECT ${cached} AS n FROM usage`,
  usage_hours: `SELECT ${cached} AS n FROM usage_hours`,
  attempts: "SELECT SUM(attempts) AS n FROM request_hours",
  failed: "SELECT SUM(failed_attempts) AS n FROM request_hours",
  hidden: "SELECT SUM(hidden_failures) AS n FROM request_hours"
} as const

const callsOfTasks = `SELECT SUM(calls) AS attempts, SUM(hidden) AS hidden,
  SUM(CASE WHEN outcome IN ('failed', 'cut') THEN 1 ELSE 0 END) AS failed FROM task_calls`

/** Counts the calls in the rows of requests. */
const attemptsIn = (rows: ReadonlyArray<Record<string, unknown>>) => {
  const found = { attempts: 0, failed: 0, hidden: 0 }
  for (const { details, error, status } of rows) {
    const { attempts = [] }: { attempts?: ReadonlyArray<{ outcome?: string; calls?: number }> } = JSON.parse(
      String(details)
    )
    const failed = attempts.filter(({ outcome }) => outcome === "failed" || outcome === "cut").length
    for (const { calls = 1, outcome } of attempts) found.attempts += outcome === "unsent" ? 0 : calls
    found.failed += failed
    if (Number(status) < 400 && error === "") found.hidden += failed
  }
  return found
}

const read = async (ask: Ask): Promise<Ledger> => {
  const rows = await ask(paidRows)
  const text = (value: unknown) => String(value)
  const kept: Record<string, number> = {}
  for (const [name, sum] of Object.entries(keptSums)) kept[name] = Number((await ask(sum))[0]?.["n"] ?? 0)
  const requests = await ask("SELECT request_id, status, error, details FROM requests WHERE family <> 'account'")
  const counted: Record<string, number> = {}
  for (const [name, sum] of Object.entries(counts)) counted[name] = Number((await ask(sum))[0]?.["n"] ?? 0)
  const [ofTasks = {}] = await ask(callsOfTasks)
  for (const [name, count] of Object.entries(attemptsIn(requests))) {
    counted[`${name} in rows`] = count + Number(ofTasks[name] ?? 0)
  }
  return {
    paid: rows.map((row) => ({
      at: Number(row["at"]),
      request_id: text(row["request_id"]),
      account_id: text(row["account_id"]),
      key_id: text(row["key_id"]),
      model: text(row["model"]),
      upstream: text(row["upstream"]),
      outcome: text(row["outcome"]),
      task_id: row["task_id"] === null ? null : text(row["task_id"]),
      input: Number(row["input_tokens"]),
      output: Number(row["output_tokens"]),
      cacheRead: Number(row["cache_read_tokens"]),
      cacheWrite: Number(row["cache_write_tokens"]),
      cost: Number(row["cost"]),
      upstreamCost: Number(row["upstream_cost"])
    })),
    kept,
    counted,
    requestIds: new Set(requests.map((row) => text(row["request_id"])))
  }
}

/** Reads the database of a gateway: at its address, or in its folder. */
export const ledgerOf = async (folder: string, url?: string): Promise<Ledger> => {
  if (url === undefined) {
    const db = new Database(join(folder, "data/gateway.db"), { readonly: true })
    try {
      return await read(async (sql) => db.query<Record<string, unknown>, []>(sql).all())
    } finally {
      db.close()
    }
  }
  const sql = new Bun.SQL({ url, max: 1 })
  try {
    return await read((query) => sql.unsafe(query))
  } finally {
    await sql.close()
  }
}
