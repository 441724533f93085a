import { useMemo } from "preact/hooks"
import type { Changed } from "../live.ts"
import { useData } from "./useData.ts"
import type { Data } from "./useData.ts"

/** A page of a list, as the gateway answers. */
interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly next: string | null
}

/** The rows that are loaded so far. */
interface Listed<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly hasMore: boolean
}

/** Pages that follow each other, and the mark of the next one. */
interface Loaded<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly pages: number
  readonly next: string | undefined
}

/**
 * A list that is loaded page by page. Loaded again, it has as many pages as before.
 *
 * @param load one page, after the given mark
 */
export const usePages = <Row>(
  load: (after: string | undefined) => Promise<Page<Row>>,
  options: { readonly by?: ReadonlyArray<unknown>; readonly on?: ReadonlyArray<Changed["what"]> } = {}
): Data<Listed<Row>> & { readonly more: () => Promise<void> } => {
  const query = JSON.stringify(options.by ?? [])
  const list = useMemo(
    (): { loaded: Loaded<Row> | undefined; isMore: boolean } => ({ loaded: undefined, isMore: false }),
    [query]
  )
  const data = useData(async (): Promise<Listed<Row>> => {
    const { isMore, loaded } = list
    list.isMore = false
    const kept = isMore ? loaded : undefined
    const pages = (loaded?.pages ?? 1) + (kept === undefined ? 0 : 1)
    let all: Loaded<Row> = kept ?? { rows: [], pages: 0, next: undefined }
    try {
      while (all.pages < pages && (all.pages === 0 || all.next !== undefined)) {
        const { data, next } = await load(all.next)
        all = { rows: [...all.rows, ...data], pages: all.pages + 1, next: next ?? undefined }
      }
    } catch (error) {
      // The rows stay, and the next page is asked for again.
      if (kept === undefined) throw error
    }
    list.loaded = all
    return { rows: all.rows, hasMore: all.next !== undefined }
  }, options)
  const run = (isMore: boolean) => {
    list.isMore = isMore
    return data.again()
  }
  return { ...data, again: () => run(false), more: () => run(true) }
}
