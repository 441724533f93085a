import { Effect, Runtime } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"
import type { Chargeable } from "./Charge.ts"

/** The highest charge, as a multiple of the hold (for unmetered accounts, of the hold they would have). */
const times = 10

/** The part of a cost that is charged. */
export type Cap = (
  request: Pick<Chargeable, "model" | "requestId" | "price" | "mostNanoUsd" | "leastNanoUsd">,
  costNanoUsd: number,
  heldNanoUsd: number
) => number

/**
 * Caps charges, so that an upstream's wrong usage can't cost a caller many times the request's maximum. Logs each
 * capped charge.
 */
export const makeCap = Effect.gen(function* () {
  const metrics = yield* Metrics
  const runtime = yield* Effect.runtime()

  const cap: Cap = (request, cost, held) => {
    if (cost === 0 || cost <= times * (held > 0 ? held : (request.leastNanoUsd?.(request.price) ?? 0))) return cost
    // The hold may be below the request's maximum cost.
    const most = times * Math.max(held, request.mostNanoUsd(request.price))
    if (cost <= most) return cost
    metrics.chargesCapped.of(request.model).add(1)
    const line = { event: "charge.capped", request_id: request.requestId, model: request.model }
    Runtime.runFork(runtime)(
      Effect.logWarning(`a charge was cut to ${times} times what the request could cost`).pipe(
        Effect.annotateLogs({ ...line, cost_nano_usd: cost, charged_nano_usd: most })
      )
    )
    return most
  }
  return cap
})
