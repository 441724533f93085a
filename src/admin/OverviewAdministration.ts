import { Effect } from "effect"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Own } from "../contract/callers/Own.ts"
import { RequestOverview } from "../requests/RequestOverview.ts"
import type { OverviewAsked } from "../requests/RequestOverview.ts"
import { AttentionNow } from "./AttentionNow.ts"
import type { OverviewRecord } from "./OverviewRecord.ts"

/** Sums of a period, the current backlog, and problems that need attention. */
export class OverviewAdministration extends Effect.Service<OverviewAdministration>()(
  "gateway/admin/OverviewAdministration",
  {
    dependencies: [RequestOverview.Default, AttentionNow.Default],
    effect: Effect.gen(function* () {
      const requests = yield* RequestOverview
      const now = yield* AttentionNow

      /** @param own only these requests, without what concerns the whole gateway */
      const overview = (query: OverviewAsked, own?: Own): Effect.Effect<OverviewRecord, InvalidRequest> =>
        Effect.gen(function* () {
          const sums = yield* requests.of(query, own)
          if (own !== undefined) return sums
          return { ...sums, queue: yield* Effect.orDie(now.queue), attention: yield* Effect.orDie(now.attention) }
        })

      return { overview, attention: Effect.orDie(now.attention) } as const
    })
  }
) {}
