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
  readonly task_id: string | null
  readonly cost: number
  readonly upstreamCost: number
}

/** What a gateway's database says: every usage row, and the sums that are kept beside them. */
export interface Ledger {
  readonly paid: ReadonlyArray<Paid>
  /** By the name of a table or column: the sum of its charges. */
  readonly kept: Readonly<Record<string, number>>
  readonly requestIds: ReadonlySet<string>
}

type Ask = (text: string) => Promise<ReadonlyArray<Record<string, unknown>>>

const paidRows = `SELECT at, request_id, account_id, key_id, model, upstream, task_id, cost_nano_usd AS cost,
  upstream_cost_nano_usd AS upstream_cost FROM usage ORDER BY id`

const keptSums = {
  "usage_days.cost": "SELECT SUM(cost_nano_usd) AS n FROM usage_days",
  "usage_hours.cost": "SELECT SUM(cost_nano_usd) AS n FROM usage_hours",
  "key_spending.cost": "SELECT SUM(nano_usd) AS n FROM key_spending",
  "accounts.settled": "SELECT SUM(settled_nano_usd) AS n FROM accounts"
} as const

const read = async (ask: Ask): Promise<Ledger> => {
  const rows = await ask(paidRows)
  const text = (value: unknown) => String(value)
  const kept: Record<string, number> = {}
  for (const [name, sum] of Object.entries(keptSums)) kept[name] = Number((await ask(sum))[0]?.["n"] ?? 0)
  const requests = await ask("SELECT request_id FROM requests")
  return {
    paid: rows.map((row) => ({
      at: Number(row["at"]),
      request_id: text(row["request_id"]),
      account_id: text(row["account_id"]),
      key_id: text(row["key_id"]),
      model: text(row["model"]),
      upstream: text(row["upstream"]),
      task_id: row["task_id"] === null ? null : text(row["task_id"]),
      cost: Number(row["cost"]),
      upstreamCost: Number(row["upstream_cost"])
    })),
    kept,
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
