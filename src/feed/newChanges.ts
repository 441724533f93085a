import { Clock, Effect } from "effect"
import type { Bulkheads } from "../routing/Bulkhead.ts"
import type { ChangedTask, TaskStorage } from "../tasks/TaskStorage.ts"
import type { Changed, Look, What } from "./News.ts"
import type { Newest } from "./store/Newest.ts"

/** Tasks are looked for this far back: clocks differ, and what is committed later may be dated before. */
const overlapMs = 2_000

/** By what an action of the audit log begins with. */
const audited: Readonly<Record<string, What>> = {
  key: "key",
  account: "account",
  webhooks: "account",
  ledger: "account",
  task: "task",
  config: "configuration",
  configuration: "configuration",
  session: "session"
}

/** What was changed by those who run the gateway, on any node or by a command. */
export const newAudits = (newest: Newest): Look => {
  let last = 0
  return {
    begin: Effect.map(newest.lastAudit, (id) => (last = id)),
    look: Effect.map(
      Effect.suspend(() => newest.audited(last)),
      (rows) => {
        last = rows.at(-1)?.id ?? last
        const changed = rows.flatMap(({ action, target }): ReadonlyArray<Changed> => {
          const what = audited[action.split(".")[0] ?? ""]
          if (what === undefined) return []
          return [what === "account" ? { what, id: target, account: target } : { what, id: target }]
        })
        return { changed }
      }
    )
  }
}

/** Tasks whose state is another. */
export const newTasks = (store: Pick<TaskStorage, "changedSince">): Look => {
  let told = new Map<string, ChangedTask>()
  const since = Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs - overlapMs)
  const read = Effect.flatMap(since, (sinceMs) => store.changedSince(sinceMs))
  return {
    begin: Effect.map(read, (rows) => (told = new Map(rows.map((row) => [row.id, row])))),
    look: Effect.map(read, (rows) => {
      const fresh = rows.filter(({ id, state, updatedAtMs }) => {
        const before = told.get(id)
        return before?.state !== state || before.updatedAtMs !== updatedAtMs
      })
      told = new Map(rows.map((row) => [row.id, row]))
      return { changed: fresh.map(({ account, id }) => ({ what: "task" as const, id, account })) }
    })
  }
}

/** Deliveries that are due, under way, or over. What is over as soon as it is due is heard of with its task. */
export const newDeliveries = (newest: Newest): Look => {
  let known = new Map<string, { readonly account: string; readonly standing: string }>()
  const read = Effect.map(
    newest.pending,
    (rows) =>
      new Map(
        rows.map((row) => [row.id, { account: row.account_id, standing: `${row.tries} ${row.sending}` }] as const)
      )
  )
  return {
    begin: Effect.map(read, (now) => (known = now)),
    look: Effect.map(read, (now) => {
      const moved = [...now].filter(([id, { standing }]) => known.get(id)?.standing !== standing)
      const over = [...known].filter(([id]) => !now.has(id))
      known = now
      return { changed: [...moved, ...over].map(([id, { account }]) => ({ what: "delivery" as const, id, account })) }
    })
  }
}

/** Upstreams whose circuit opens or closes, as this process sees them. */
export const newCircuits = (lanes: (typeof Bulkheads)["Service"]): Look => {
  let known = new Map<string, string>()
  const read = Effect.map(
    Clock.currentTimeMillis,
    (nowMs) => new Map([...lanes].map(([name, { circuit }]) => [name, circuit.state(nowMs)] as const))
  )
  return {
    begin: Effect.map(read, (now) => (known = now)),
    look: Effect.map(read, (now) => {
      const moved = [...now].filter(([name, state]) => known.get(name) !== state)
      known = now
      return { changed: moved.map(([id]) => ({ what: "upstream" as const, id })) }
    })
  }
}
