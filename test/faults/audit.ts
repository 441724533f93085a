import { Database } from "bun:sqlite"
import { join } from "node:path"

/** A task as its row says. */
export interface Row {
  readonly id: string
  readonly kind: "video" | "message"
  readonly state: string
  readonly error: string | null
  readonly upstream_id: string | null
  readonly ended_at: number | null
}

/** What can't be, as rows of these tables; on either engine. */
export const mustNotBe = {
  "an account's granted is not the sum of its grants": `accounts WHERE COALESCE(granted_nano_usd, 0) <>
    (SELECT COALESCE(SUM(nano_usd), 0) FROM grants WHERE account_id = accounts.id)`,
  "an account's settled is not the sum of its usage": `accounts WHERE settled_nano_usd <>
    (SELECT COALESCE(SUM(cost_nano_usd), 0) FROM usage WHERE account_id = accounts.id)`,
  "a hold without an active task": `holds WHERE NOT EXISTS
    (SELECT 1 FROM tasks WHERE tasks.id = holds.id AND ended_at IS NULL)`,
  "an active task without a hold": `tasks WHERE ended_at IS NULL AND id NOT IN (SELECT id FROM holds)`,
  "a task that was paid for twice": "(SELECT 1 FROM usage GROUP BY request_id HAVING COUNT(*) > 1) AS twice",
  "an ended task with a lease": "tasks WHERE ended_at IS NOT NULL AND lease_token IS NOT NULL"
}

/** The gateway's database, looked at from beside it, while it runs or after. */
export const audit = (folder: string) => {
  const file = new Database(join(folder, "data/gateway.db"), { readonly: true })
  file.run("PRAGMA busy_timeout = 5000")
  const count = (text: string): number =>
    file.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${text}`).get()?.n ?? 0

  /**
   * What can't be, however often the process was killed; one line each.
   *
   * @param gone tasks that were removed, or may have been, after they had ended: what they cost was paid
   */
  const contradictions = (gone: number): ReadonlyArray<string> => {
    const found: Array<string> = []
    // One transaction, so that all of it is of one moment.
    file.transaction(() => {
      const integrity = file.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get()?.integrity_check
      if (integrity !== "ok") found.push(`integrity_check: ${integrity}`)
      if (file.query("PRAGMA foreign_key_check").all().length > 0) found.push("foreign_key_check")
      for (const [what, text] of Object.entries(mustNotBe)) {
        const n = count(text)
        if (n > 0) found.push(`${what}: ${n}`)
      }
      const paid = count("usage")
      const made = count("tasks WHERE state = 'succeeded'")
      if (paid < made || paid > made + gone) found.push(`${made} tasks succeeded, ${paid} were paid for`)
    })()
    return found
  }

  return {
    contradictions,
    rows: () => file.query<Row, []>("SELECT * FROM tasks").all(),
    active: () => count("tasks WHERE ended_at IS NULL"),
    undelivered: () => count("deliveries WHERE state IN ('pending', 'waiting')"),
    /** Workers that hold tasks, be they dead or alive. */
    owners: () =>
      file
        .query<{ owner: string }, []>("SELECT DISTINCT lease_owner AS owner FROM tasks WHERE lease_token IS NOT NULL")
        .all()
        .map(({ owner }) => owner),
    heldBy: (owners: ReadonlyArray<string>) =>
      file
        .query<{ n: number }, Array<string>>(
          `SELECT COUNT(*) AS n FROM tasks WHERE lease_owner IN (${owners.map(() => "?").join()})`
        )
        .get(...owners)?.n ?? 0,
    close: () => file.close()
  }
}

export type Audit = ReturnType<typeof audit>
