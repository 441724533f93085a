import { Effect } from "effect"
import type { RequestView } from "../../requests/RequestView.ts"
import type { PageRequest } from "./paging.ts"

interface Page {
  readonly data: ReadonlyArray<RequestView>
  readonly next: string | null
}
type ReadPage<E> = (page: PageRequest) => Effect.Effect<Page, E>

const [usual, most] = [100, 1_000]

/** Follows a list that is sorted newest first: each run gives the rows that are new since the last one, oldest first. */
export const newOnes = <E>(readPage: ReadPage<E>): Effect.Effect<Effect.Effect<ReadonlyArray<RequestView>, E>, E> =>
  Effect.map(readPage({ limit: usual }), ({ data }) => {
    let known = new Set(data.map(({ request_id }) => request_id))
    return Effect.gen(function* () {
      const collected: Array<RequestView> = []
      let after: string | null = null
      let isKnown = false
      do {
        const page: Page = yield* readPage({ limit: usual, ...(after === null ? {} : { after }) })
        const fresh = page.data.filter(({ request_id }) => !known.has(request_id))
        isKnown = fresh.length < page.data.length
        collected.push(...fresh)
        after = page.next
      } while (after !== null && !isKnown && known.size > 0 && collected.length < most)
      const ids = collected.map(({ request_id }) => request_id)
      known = new Set([...ids, ...known].slice(0, most))
      return collected.toReversed()
    })
  })
