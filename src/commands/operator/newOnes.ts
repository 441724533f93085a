import { Effect } from "effect"
import type { RequestView } from "../../requests/RequestView.ts"
import type { PageRequest } from "./paging.ts"

interface Page {
  readonly data: ReadonlyArray<RequestView>
  readonly next: string | null
}
type Ask<E> = (of: PageRequest) => Effect.Effect<Page, E>

const [usual, most] = [100, 1_000]

/** Follows a list whose newest rows come first: answers what was not there the last time, oldest first. */
export const newOnes = <E>(ask: Ask<E>): Effect.Effect<Effect.Effect<ReadonlyArray<RequestView>, E>, E> =>
  Effect.map(ask({ limit: usual }), ({ data }) => {
    let known = new Set(data.map(({ request_id }) => request_id))
    return Effect.gen(function* () {
      const found: Array<RequestView> = []
      let after: string | null = null
      let isKnown = false
      do {
        const page: Page = yield* ask({ limit: usual, ...(after === null ? {} : { after }) })
        const fresh = page.data.filter(({ request_id }) => !known.has(request_id))
        isKnown = fresh.length < page.data.length
        found.push(...fresh)
        after = page.next
      } while (after !== null && !isKnown && known.size > 0 && found.length < most)
      const ids = found.map(({ request_id }) => request_id)
      known = new Set([...ids, ...known].slice(0, most))
      return found.toReversed()
    })
  })
