import { Effect } from "effect"

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next: string | null
}

/** The page parameters of the admin API. */
export interface PageRequest {
  readonly limit: number
  readonly after?: string
}

/** The most rows of a page of the admin API. */
export const mostRows = 1_000

/** The first `limit` rows, read page by page. */
export const gatherRows = <A, E>(
  limit: number,
  page: (of: PageRequest) => Effect.Effect<Page<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const rows: Array<A> = []
    let after: string | null = null
    do {
      const size = Math.min(limit - rows.length, mostRows)
      const { data, next }: Page<A> = yield* page({ limit: size, ...(after === null ? {} : { after }) })
      rows.push(...data)
      after = next
    } while (after !== null && rows.length < limit)
    return rows
  })
