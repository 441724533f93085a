import { Effect } from "effect"

/** What the tables say of an account, read beside the serving processes, in nano-dollars. */
export interface Told {
  readonly granted: number | null
  readonly settled: number
  readonly held: number
  /** What budgets hold of it. */
  readonly budgetHeld: number
  /** What its budgets have counted. */
  readonly budgetUsed: number
  /** Usage rows. */
  readonly rows: number
  /** Nodes that are not buried. */
  readonly nodes: number
}

/** The books of a database of Postgres. Every look at them fails where a sum is not that of its parts. */
export const booksAt = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Bun.SQL({ url, max: 2 })),
      (sql) => Effect.promise(() => sql.close({ timeout: 0 }).catch(() => {}))
    ),
    (sql) => {
      const ask = (text: string): Promise<ReadonlyArray<Record<string, string | null>>> => sql.unsafe(text)
      const look = async (account: string): Promise<Told> => {
        const [row = {}] = await ask(`WITH key AS (
            SELECT COALESCE((SELECT MIN(id) FROM keys WHERE account_id = '${account}'), 'key of ${account}') AS id) SELECT
          granted_nano_usd AS granted, settled_nano_usd AS settled, held_nano_usd AS held,
          (SELECT COALESCE(SUM(held), 0) FROM budget_counters WHERE account_id = accounts.id) AS budget_held,
          (SELECT COALESCE(SUM(used), 0) FROM budget_counters WHERE account_id = accounts.id) AS budget_used,
          (SELECT COALESCE(SUM(held), 0) FROM node_budgets WHERE account_id = accounts.id)
            + (SELECT COALESCE(SUM(amount), 0) FROM holds, json_to_recordset(budgets::json) AS one (amount bigint)
                WHERE account_id = accounts.id)
            - (SELECT COALESCE(SUM(held), 0) FROM usage_unsummed, json_to_recordset(budgets::json) AS one (held bigint)
                WHERE account_id = accounts.id) AS budget_parts,
          (SELECT COUNT(*) FROM usage WHERE account_id = accounts.id) AS rows,
          (SELECT COUNT(*) FROM nodes) AS nodes,
          (SELECT COALESCE(SUM(nano_usd), 0) FROM grants WHERE account_id = accounts.id) AS grants,
          (SELECT COALESCE(SUM(cost_nano_usd), 0) FROM usage WHERE account_id = accounts.id) AS costs,
          (SELECT COALESCE(SUM(nano_usd), 0) FROM key_spending, key WHERE key_id = key.id) AS days,
          (SELECT COALESCE(SUM(cost_nano_usd), 0) FROM usage_days WHERE account_id = accounts.id) AS sums,
          (SELECT COALESCE(SUM(cost_nano_usd), 0) FROM usage_unsummed WHERE account_id = accounts.id) AS unsummed,
          (SELECT COALESCE(SUM(nano_usd), 0) FROM node_holds WHERE account_id = accounts.id)
            + (SELECT COALESCE(SUM(nano_usd), 0) FROM holds WHERE account_id = accounts.id)
            + (SELECT COALESCE(SUM(held_nano_usd), 0) FROM usage_unsummed WHERE account_id = accounts.id) AS parts,
          (SELECT COUNT(*) FROM node_holds WHERE nano_usd < 0) AS below
          FROM accounts WHERE id = '${account}'`)
        const n = (name: string) => Number(row[name])
        const told = {
          granted: row["granted"] === null ? null : n("granted"),
          settled: n("settled"),
          held: n("held"),
          budgetHeld: n("budget_held"),
          budgetUsed: n("budget_used"),
          rows: n("rows"),
          nodes: n("nodes")
        }
        const summed = n("costs") - n("unsummed")
        const isDrift = [
          n("grants") !== (told.granted ?? 0),
          told.settled !== summed,
          n("days") !== summed,
          n("sums") !== summed,
          n("parts") !== told.held,
          n("budget_parts") !== told.budgetHeld,
          n("below") !== 0
        ]
        if (isDrift.includes(true)) throw new Error(`drift: ${JSON.stringify(row)}`)
        return told
      }
      return {
        /** Makes an account, with a balance of so many dollars or without one. */
        account: async (id: string, dollars: number | undefined) => {
          const granted = dollars === undefined ? "NULL" : String(dollars * 1_000_000_000)
          await ask(`INSERT INTO accounts (id, created_at, granted_nano_usd) VALUES ('${id}', 0, ${granted})`)
          if (dollars !== undefined) {
            await ask(`INSERT INTO grants (at, account_id, nano_usd, note) VALUES (0, '${id}', ${granted}, 'test')`)
          }
        },
        of: (account: string) => Effect.promise(() => look(account)),
        until: (account: string, is: (told: Told) => boolean) =>
          Effect.promise(async () => {
            for (;;) {
              const told = await look(account)
              if (is(told)) return told
              await Bun.sleep(10)
            }
          }),
        /**
         * Runs when another statement waits for the account's row, or for what is locked instead: what it does is
         * done once that has come back, and what it answers may be lost by then.
         */
        whileLocked: (
          account: string,
          waiting: () => void | Promise<void>,
          lock = `SELECT 1 FROM accounts WHERE id = '${account}' FOR UPDATE`
        ) =>
          Effect.promise(async () => {
            const other = await sql.reserve()
            await other.unsafe("BEGIN")
            await other.unsafe(lock)
            return Effect.promise(async () => {
              for (;;) {
                const found = await other.unsafe(`SELECT 1 FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event_type = 'Lock'`)
                if (found.length > 0) break
                await Bun.sleep(5)
              }
              await waiting()
              await other.unsafe("COMMIT")
              await other.release()
            })
          })
      } as const
    }
  )
