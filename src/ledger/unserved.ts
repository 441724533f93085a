import type { Clock } from "effect"
import { wholeUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { unpaid } from "./aboveHold.ts"
import type { Chargeable } from "./Charge.ts"
import { costOf } from "./Price.ts"
import type { Consumption } from "./Price.ts"
import type { UsageRow } from "./store/usageRows.ts"
import type { SumNames } from "./SumNames.ts"
import type { UsageLog } from "./UsageLog.ts"

interface Needs extends Pick<UsageLog, "append"> {
  readonly names: Pick<SumNames, "of">
  readonly clock: Clock.Clock
}

export type Unserved = ReturnType<typeof makeUnserved>

/**
 * Records what upstreams cost beside the answers that callers pay: rows of their own, each at the upstream that was
 * called, without a charge.
 */
export const makeUnserved = ({ append, clock, names }: Needs) => {
  const rowOf = (
    { caller, model, requestId }: Chargeable,
    row: Pick<UsageRow, "upstream" | "outcome" | "estimated" | "used" | "price" | "upstreamCostNanoUsd">,
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
     * @param task that it was for, if any
     * @returns its cost in nano-dollars
     */
    cut: (request: Chargeable, used: Consumption, estimated: boolean, task?: string): number => {
      const { price, upstream } = request
      const upstreamCostNanoUsd = costOf(price, used)
      const row = { upstream, outcome: "cut", estimated, used: wholeUsage(used), price: price.text } as const
      append(rowOf(request, { ...row, upstreamCostNanoUsd }, task))
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
