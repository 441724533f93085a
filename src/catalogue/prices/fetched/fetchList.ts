import { Effect } from "effect"
import type { Scope } from "effect"
import { callUpstream } from "../../../upstreams/calls/client.ts"
import type { ListedPrice } from "./FetchedList.ts"
import { BadPriceList, longestList, readList } from "./readList.ts"

const deadlines = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 15_000 }
/** For the whole list, however slowly it comes. */
const patience = "60 seconds"

/** The address of a list, and the proxy that the call goes by. */
export interface ListPlace {
  readonly from: string
  readonly proxy: string | undefined
}

/** Fetches and reads a published list. */
export const fetchList = Effect.fnUntraced(
  function* ({
    from,
    proxy
  }: ListPlace): Effect.fn.Return<ReadonlyMap<string, ListedPrice>, BadPriceList, Scope.Scope> {
    // The patience ends a call that is not answered yet, too.
    const answer = yield* Effect.acquireRelease(
      Effect.interruptible(
        Effect.mapError(
          callUpstream({ method: "GET", url: from, headers: { accept: "application/json" }, deadlines, proxy }),
          ({ failure }) => new BadPriceList({ message: failure.message })
        )
      ),
      (exchange) => Effect.sync(() => exchange.cancel())
    )
    const { status } = answer
    // Followed, a redirect could lead to an address inside the operator's network.
    if (status >= 300 && status < 400) {
      return yield* new BadPriceList({ message: `it answers with a redirect (${status}), which is not followed` })
    }
    if (status !== 200) return yield* new BadPriceList({ message: `it answered with status ${status}` })
    const text = yield* Effect.tryPromise({
      try: () => answer.text(longestList),
      catch: () => new BadPriceList({ message: "its answer was cut off" })
    })
    return yield* readList(text)
  },
  Effect.scoped,
  Effect.timeoutFail({
    duration: patience,
    onTimeout: () => new BadPriceList({ message: `it did not arrive within ${patience}` })
  })
)
