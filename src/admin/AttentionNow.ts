import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { DeliveryList } from "../callbacks/store/DeliveryList.ts"
import { Daemons } from "../flow/Daemons.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import type { Attention } from "./OverviewRecord.ts"
import { Troubles } from "./store/Troubles.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A key is told of before it expires. */
const soonMs = 7 * dayMs
/** So many calls of an upstream, of which this part failed, are worth a look. */
const leastCalls = 20
const badPart = 0.2
const mostAccounts = 200

/** What somebody should look at now, in sentences. */
export class AttentionNow extends Effect.Service<AttentionNow>()("gateway/admin/AttentionNow", {
  dependencies: [Troubles.Default, Accounts.Default, DeliveryList.Default],
  effect: Effect.gen(function* () {
    const troubles = yield* Troubles
    const accounts = yield* Accounts
    const listed = yield* DeliveryList
    const lanes = yield* Bulkheads
    const catalogue = yield* Catalogue
    const daemons = yield* Daemons
    const tasks = yield* TaskStore
    const deliveries = yield* Deliveries

    const one = (
      level: Attention["level"],
      what: Attention["what"],
      id: string | null,
      message: string
    ): Attention => ({
      level,
      what,
      id,
      message
    })

    const background = Effect.map(daemons.failing, (names) =>
      names.map((name) => one("error", "daemon", name, `${name}: what runs in the background fails, as the log says`))
    )

    const circuits = Effect.map(Clock.currentTimeMillis, (nowMs) =>
      [...lanes].flatMap(([name, { circuit }]) =>
        circuit.state(nowMs) === "closed"
          ? []
          : [
              one(
                "error",
                "upstream",
                name,
                `${name} fails: it is left alone for ${Math.ceil(circuit.waitMs(nowMs) / 1_000)} s`
              )
            ]
      )
    )

    const failures = (nowMs: number) =>
      Effect.map(troubles.lately(nowMs - (nowMs % hourMs) - hourMs), (rows) =>
        rows
          .filter(({ errors, requests }) => requests >= leastCalls && errors / requests >= badPart)
          .map(({ errors, requests, upstream }) =>
            one("warning", "upstream", upstream, `${upstream}: ${errors} of the last ${requests} requests failed`)
          )
      )

    const callbacks = (nowMs: number) =>
      Effect.map(listed.list({ state: "failed", sinceMs: nowMs - dayMs, limit: 100 }), ({ length }) =>
        length === 0
          ? []
          : [
              one(
                "warning",
                "delivery",
                null,
                `${length === 100 ? "100 or more" : length} callbacks were given up in the last day`
              )
            ]
      )

    const empty = Effect.map(accounts.list({ offset: 0, limit: mostAccounts }), (rows) =>
      rows
        .filter(
          ({ granted_nano_usd, held, settled_nano_usd }) =>
            granted_nano_usd !== null && granted_nano_usd - settled_nano_usd - held <= 0
        )
        .map(({ id }) => one("warning", "account", id, `${id} has spent its balance: its requests are refused`))
    )

    const expiring = (nowMs: number) =>
      Effect.map(troubles.expiring(nowMs, nowMs + soonMs), (rows) =>
        rows.map(({ expires_at, id, name }) =>
          one("warning", "key", id, `${name} expires in ${Math.ceil((expires_at - nowMs) / hourMs)} h`)
        )
      )

    const unpriced = Effect.sync(() => {
      const names = [...catalogue.values()]
        .filter(({ price, routes }) => price === undefined && routes.every((route) => route.price === undefined))
        .map(({ id }) => id)
      const [first] = names
      if (first === undefined) return []
      const others = names.length === 1 ? "" : ` and ${names.length - 1} more`
      return [
        one(
          "warning",
          "model",
          names.length === 1 ? first : null,
          `${first}${others} without a price: refused where money is counted`
        )
      ]
    })

    const attention: Effect.Effect<ReadonlyArray<Attention>, SqlError | StoreFailure> = Effect.flatMap(
      Clock.currentTimeMillis,
      (nowMs) =>
        Effect.map(
          Effect.all([background, circuits, failures(nowMs), callbacks(nowMs), empty, expiring(nowMs), unpriced]),
          (found) => found.flat().toSorted((a, b) => (a.level === b.level ? 0 : a.level === "error" ? -1 : 1))
        )
    )

    const queue = Effect.gen(function* () {
      let waiting = 0
      for (const { slots } of lanes.values()) waiting += slots?.waiting ?? 0
      const active = yield* tasks.active
      return {
        tasks: active.reduce((sum, { n }) => sum + n, 0),
        deliveries: (yield* deliveries.pending).count,
        waiting
      }
    })

    return { attention, queue } as const
  })
}) {}
