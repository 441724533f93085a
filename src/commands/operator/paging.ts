import { Effect } from "effect"

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next: string | null
}

/** Which page is asked for. */
export interface PageRequest {
  readonly limit: number
  readonly after?: string
}

/** The most rows that a page of the admin API has. */
export const mostRows = 1_000

/** As many rows as are wanted, page by page. */
export const gathered = <A, E>(
  limit: number,
  page: (of: PageRequest) => Effect.Effect<Page<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const rows: Array<A> = []
    let after: string | null = null
    do {
      const asked: number = Math.min(limit - rows.length, mostRows)
      const found: Page<A> = yield* page({ limit: asked, ...(after === null ? {} : { after }) })
      rows.push(...found.data)
      after = found.next
    } while (after !== null && rows.length < limit)
    return rows
  })
