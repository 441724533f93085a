import { Clock, Effect } from "effect"
import type { Bulkheads } from "../routing/Bulkhead.ts"
import type { ChangedTask, TaskStorage } from "../tasks/TaskStorage.ts"
import type { Changed, NewsPoll, ChangedKind } from "./News.ts"
import type { Newest } from "./store/Newest.ts"

/** How far back to poll for tasks: clocks differ, and a later commit may have an earlier time. */
const overlapMs = 2_000

/** Kinds by the first part of an audit action. */
const audited: Readonly<Record<string, ChangedKind>> = {
  key: "key",
  account: "account",
  webhooks: "account",
  ledger: "account",
  task: "task",
  config: "configuration",
  configuration: "configuration",
  session: "session"
}

/** Changes by operators, on any node or by a command. */
export const newAudits = (newest: Newest): NewsPoll => {
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

/** Tasks whose state has changed. */
export const newTasks = (store: Pick<TaskStorage, "changedSince">): NewsPoll => {
  let reported = new Map<string, ChangedTask>()
  const since = Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs - overlapMs)
  const read = Effect.flatMap(since, (sinceMs) => store.changedSince(sinceMs))
  return {
    begin: Effect.map(read, (rows) => (reported = new Map(rows.map((row) => [row.id, row])))),
    look: Effect.map(read, (rows) => {
      const fresh = rows.filter(({ id, state, updatedAtMs }) => {
        const before = reported.get(id)
        return before?.state !== state || before.updatedAtMs !== updatedAtMs
      })
      reported = new Map(rows.map((row) => [row.id, row]))
      return { changed: fresh.map(({ account, id }) => ({ what: "task" as const, id, account })) }
    })
  }
}

/** Deliveries that are due, running or over. One that ends between two polls is reported only with its task. */
export const newDeliveries = (newest: Newest): NewsPoll => {
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

/** Upstreams whose circuit breaker opens or closes in this process. */
export const newCircuits = (bulkheads: (typeof Bulkheads)["Service"]): NewsPoll => {
  let known = new Map<string, string>()
  const read = Effect.map(
    Clock.currentTimeMillis,
    (nowMs) => new Map([...bulkheads].map(([name, { circuit }]) => [name, circuit.state(nowMs)] as const))
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
