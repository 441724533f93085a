import { Data, Effect } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { showUsd } from "../../contract/text/showUsd.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { priceFromText } from "../../ledger/Price.ts"
import type { Departure } from "../Connection.ts"

/** A call of a tool that is a request of its own. */
interface ChargedCall {
  readonly caller: Caller
  readonly incoming: Incoming
  readonly server: string
  /** Its price in nano-dollars. */
  readonly nanoUsd: number
  readonly departure: Departure
}

/** The caller gets no result, for a reason that it may read. */
class NotCharged extends Data.TaggedError("NotCharged")<{ readonly message: string }> {}

/** Charges callers for calls: the price is held before one leaves, and charged once it has left. */
export const makeChargedCalls = Effect.map(Ledger, ({ open }) => ({
  charged: <A>(call: ChargedCall, run: Effect.Effect<A>): Effect.Effect<A, NotCharged> => {
    const { caller, departure, incoming, nanoUsd, server } = call
    if (nanoUsd === 0) return run
    const { id, record, replyHeaders } = incoming
    const held = open({
      caller,
      requestId: id,
      model: `mcp/${server}`,
      upstream: `mcp/${server}`,
      price: priceFromText(JSON.stringify({ rates: {}, request: nanoUsd })),
      mostNanoUsd: () => nanoUsd,
      mostTokens: () => 0,
      labels: { tags: record?.tags, endUser: record?.endUser },
      tellCost: (settlement) => {
        record?.settled(settlement)
        replyHeaders["x-gateway-cost-usd"] = showUsd(settlement.costNanoUsd)
      }
    })
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const charge = yield* Effect.mapError(held, ({ message }) => new NotCharged({ message }))
        const end = yield* Effect.onError(restore(run), () =>
          Effect.sync(() => (departure.hasLeft ? void charge.settle(noUsage, "hang-up", false) : charge.release()))
        )
        if (departure.hasLeft) {
          yield* Effect.tryPromise({
            try: async () => charge.settle(noUsage, "finished", false),
            catch: () => new NotCharged({ message: unstored })
          })
        } else charge.release()
        return end
      })
    )
  }
}))

const unstored =
  "The call was made, but the gateway can't store at the moment what it costs, and withholds its result. Nothing is charged."
