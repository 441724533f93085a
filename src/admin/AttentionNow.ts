import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Budgets } from "../access/store/Budgets.ts"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { DeliveryList } from "../callbacks/store/DeliveryList.ts"
import { PriceLists } from "../catalogue/store/PriceLists.ts"
import { PriceDifferences } from "../ledger/PriceDifferences.ts"
import { BalanceStanding } from "../ledger/store/BalanceStanding.ts"
import { GroupCounts } from "../requests/store/GroupCounts.ts"
import { ServerStates } from "../mcp/ServerStates.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { changedTools } from "./attention/changedTools.ts"
import { makeMoneyProblems } from "./attention/moneyProblems.ts"
import { makePriceProblems } from "./attention/priceProblems.ts"
import { problem, utcText } from "./attention/Problem.ts"
import type { Problem } from "./attention/Problem.ts"
import { makeProcessProblems } from "./attention/processProblems.ts"
import { makeRetiringModels } from "./attention/retiringModels.ts"
import { makeTrafficProblems } from "./attention/trafficProblems.ts"
import { isoOrNull } from "./fields.ts"
import type { Attention } from "./OverviewRecord.ts"
import { Troubles } from "./store/Troubles.ts"

const hourMs = 3_600_000
/** Keys that expire within this time are reported. */
const expiryNoticeMs = 7 * 24 * hourMs

/** Current problems that need the operator's attention, and the backlog. */
export class AttentionNow extends Effect.Service<AttentionNow>()("gateway/admin/AttentionNow", {
  dependencies: [
    Troubles.Default,
    BalanceStanding.Default,
    Budgets.Default,
    DeliveryList.Default,
    GroupCounts.Default,
    PriceDifferences.Default,
    PriceLists.Default,
    ServerStates.Default,
    UpstreamCalls.Default
  ],
  effect: Effect.gen(function* () {
    const troubles = yield* Troubles
    const bulkheads = yield* Bulkheads
    const tasks = yield* TaskStore
    const deliveries = yield* Deliveries
    const servers = yield* ServerStates
    const ofMoney = yield* makeMoneyProblems
    const ofPrices = yield* makePriceProblems
    const ofProcesses = yield* makeProcessProblems
    const ofRetiring = yield* makeRetiringModels
    const ofTraffic = yield* makeTrafficProblems

    const ofKeys = (nowMs: number) =>
      Effect.map(troubles.expiring(nowMs, nowMs + expiryNoticeMs), (rows) =>
        rows.map(({ expires_at, id, name }) =>
          problem({
            what: "key",
            id,
            message: `${name} expires in ${Math.ceil((expires_at - nowMs) / hourMs)} h, at ${utcText(expires_at)}`,
            action: `Give its holder another key, or let this one live longer: \`gateway keys update ${id} --expires 90d\`.`,
            page: `keys/${id}`,
            dueAtMs: expires_at
          })
        )
      )

    /** The worst first; of several with one name, the worst. */
    const problems: Effect.Effect<ReadonlyArray<Problem>, SqlError | StoreFailure> = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const found = (yield* Effect.all([
        ofProcesses,
        ofTraffic(nowMs),
        ofMoney(nowMs),
        ofKeys(nowMs),
        ofPrices(nowMs),
        Effect.succeed(ofRetiring(nowMs)),
        Effect.succeed(changedTools(servers.changes(nowMs)))
      ])).flat()
      const worstFirst = found.toSorted((a, b) => (a.level === b.level ? 0 : a.level === "error" ? -1 : 1))
      return [...new Map(worstFirst.toReversed().map((one) => [one.name, one])).values()].toReversed()
    })

    const attention: Effect.Effect<ReadonlyArray<Attention>, SqlError | StoreFailure> = Effect.gen(function* () {
      const raised = yield* troubles.alertedSince
      return (yield* problems).map(({ action, dueAtMs, id, level, message, name, page, sinceMs, what }) => ({
        level,
        what,
        id,
        message,
        action,
        since: isoOrNull(sinceMs ?? raised.get(name) ?? null),
        due_at: isoOrNull(dueAtMs ?? null),
        page
      }))
    })

    const queue = Effect.gen(function* () {
      let waiting = 0
      for (const { slots } of bulkheads.values()) waiting += slots?.waiting ?? 0
      const active = yield* tasks.active
      return {
        tasks: active.reduce((sum, { n }) => sum + n, 0),
        deliveries: (yield* deliveries.pending).count,
        waiting
      }
    })

    return { attention, problems, queue } as const
  })
}) {}
