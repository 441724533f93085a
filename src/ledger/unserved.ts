import type { Clock } from "effect"
import type { Usage } from "../generation/GenerationEvent.ts"
import { wholeUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { unpaid } from "./aboveHold.ts"
import type { Chargeable } from "./Charge.ts"
import { heldNanoUsd } from "./afford.ts"
import { billOf } from "./billOf.ts"
import type { UsageRow } from "./store/usageRows.ts"
import type { SumNames } from "./SumNames.ts"
import type { UsageLog } from "./UsageLog.ts"

interface Needs extends Pick<UsageLog, "append"> {
  readonly names: Pick<SumNames, "of">
  readonly clock: Clock.Clock
}

interface CutAnswer {
  readonly estimated: boolean
  /** When the request arrived, for prices by the hour; absent if it is not known. */
  readonly atMs?: number
  /** The task that it was for, if any. */
  readonly task?: string
}

export type Unserved = ReturnType<typeof makeUnserved>

/**
 * Records what upstreams cost beside the answers that callers pay: rows of their own, each at the upstream that was
 * called, without a charge.
 */
export const makeUnserved = ({ append, clock, names }: Needs) => {
  const rowOf = (
    { caller, model, requestId }: Chargeable,
    row: Pick<
      UsageRow,
      "upstream" | "outcome" | "estimated" | "used" | "price" | "priceGap" | "costLines" | "upstreamCostNanoUsd"
    >,
    task: string | undefined
  ): UsageRow => {
    const { account, key } = caller
    const atMs = clock.unsafeCurrentTimeMillis()
    return {
      atMs,
      requestId,
      account,
      key,
      model,
      summedAs: names.of({ account, model, atMs, isAnswered: row.outcome === "cut" }),
      ...unpaid(0),
      ...row,
      ...(task === undefined ? {} : { task })
    }
  }

  return {
    /**
     * An answer that broke off.
     *
     * @returns its cost in nano-dollars
     */
    cut: (request: Chargeable, used: Usage, { atMs, estimated, task }: CutAnswer): number => {
      const { costLines, price, priceGap, upstreamCostNanoUsd } = billOf(request.price, used, {
        atMs,
        estimated,
        heldNanoUsd: () => heldNanoUsd(request)
      })
      const row = { upstream: request.upstream, outcome: "cut", estimated, used: wholeUsage(used) } as const
      append(rowOf(request, { ...row, price, priceGap, costLines, upstreamCostNanoUsd }, task))
      return upstreamCostNanoUsd
    },
    /** The calls whose answers were not used. Callers got nothing of them, so their rows have no tokens. */
    unused: (request: Chargeable, task?: string): number => {
      let sum = 0
      for (const { nanoUsd, ...call } of request.unused ?? []) {
        sum += nanoUsd
        append(rowOf(request, { ...call, estimated: true, used: noUsage, upstreamCostNanoUsd: nanoUsd }, task))
      }
      return sum
    }
  } as const
}
