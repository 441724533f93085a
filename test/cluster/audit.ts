import { mustNotBe } from "../faults/audit.ts"
import type { Row } from "../faults/audit.ts"

/** The nodes' database, looked at from beside them. */
export const auditOf = (url: string) => {
  const sql = new Bun.SQL({ url, max: 2, bigint: true })
  const rows = async <A>(text: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<A>> => {
    // The server is killed now and then: what is asked meanwhile is asked again.
    for (;;) {
      try {
        return numbers(await sql.unsafe(text, [...values])) as ReadonlyArray<A>
      } catch (error) {
        if (codeOf(error).startsWith("42P01")) return []
        if (!/^(57P|ERR_POSTGRES_CONN|ECONN)/.test(codeOf(error))) throw error
        await Bun.sleep(100)
      }
    }
  }
  const count = async (text: string): Promise<number> =>
    (await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${text}`))[0]?.n ?? 0

  return {
    rows: () => rows<Row>("SELECT id, kind, state, error, upstream_id, ended_at FROM tasks"),
    active: () => count("tasks WHERE ended_at IS NULL"),
    undelivered: () => count("deliveries WHERE state IN ('pending', 'waiting')"),
    heldBy: (owner: string) => count(`tasks WHERE lease_owner = '${owner}' AND lease_token IS NOT NULL`),
    nodes: async () => (await rows<{ id: string }>("SELECT id FROM nodes")).map(({ id }) => id),
    /** What nodes hold for requests under way, in nano-dollars. */
    held: async () =>
      (await rows<{ n: number }>("SELECT COALESCE(SUM(nano_usd), 0)::bigint AS n FROM node_holds"))[0]?.n ?? 0,
    /** Who holds what of that, in words. */
    holders: async () =>
      (
        await rows<{ node: string; n: number; alive: number }>(`SELECT node, SUM(nano_usd)::bigint AS n,
          (SELECT COUNT(*) FROM nodes WHERE id = node) AS alive FROM node_holds GROUP BY node HAVING SUM(nano_usd) <> 0`)
      ).map(({ alive, n, node }) => `${node} (${alive === 0 ? "gone" : "alive"}) holds ${n} nano-dollars`),
    /** Holds of tasks that were never stored, which are freed after a while. */
    orphans: () => count(`holds WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = holds.id)`),
    /** Videos that are still to be copied. */
    uncopied: () => count("custody WHERE file_id IS NULL"),
    copies: () =>
      rows<{ task_id: string; upstream_id: string }>(`SELECT task_id, upstream_id FROM custody
        JOIN tasks ON tasks.id = task_id WHERE file_id IS NOT NULL AND part = 'video'`),
    /** Ended tasks that are paid for and whose sums are not added up yet. */
    unsummed: () => count("usage_unsummed"),
    usage: () => rows<{ request_id: string; cost: number }>("SELECT request_id, cost_nano_usd AS cost FROM usage"),
    /** What can't be, one line each. */
    contradictions: async (): Promise<ReadonlyArray<string>> => {
      const found: Array<string> = []
      for (const [what, text] of Object.entries(mustNotBe)) {
        const n = await count(text)
        if (n > 0) found.push(`${what}: ${n}`)
      }
      const drift = await count(`accounts WHERE held_nano_usd <>
        (SELECT COALESCE(SUM(nano_usd), 0) FROM node_holds WHERE account_id = accounts.id) +
        (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = accounts.id) +
        (SELECT COALESCE(SUM(held_nano_usd), 0) FROM usage_unsummed WHERE account_id = accounts.id)`)
      const overdrawn = await count("accounts WHERE granted_nano_usd - settled_nano_usd - held_nano_usd < 0")
      if (overdrawn > 0) found.push(`an account has less than nothing: ${overdrawn}`)
      if (drift > 0) found.push(`an account's held is not the sum of its holds: ${drift}`)
      return found
    },
    close: () => sql.close({ timeout: 0 }).catch(() => {})
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error
    ? `${"errno" in error ? String(error.errno) : ""}${"code" in error ? String(error.code) : ""}`
    : ""

const numbers = (found: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<unknown> =>
  found.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
    )
  )
