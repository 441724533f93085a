import { useRef } from "preact/hooks"
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

/**
 * A list that is loaded page by page. Loaded again, it has as many rows as before.
 *
 * @param load one page, after the given mark
 */
export const usePages = <Row>(
  load: (after: string | undefined) => Promise<Page<Row>>,
  options: { readonly by?: ReadonlyArray<unknown>; readonly on?: ReadonlyArray<Changed["what"]> } = {}
): Data<Listed<Row>> & { readonly more: () => Promise<void> } => {
  const pages = useRef(1)
  const query = JSON.stringify(options.by ?? [])
  const shown = useRef(query)
  if (shown.current !== query) {
    shown.current = query
    pages.current = 1
  }
  const data = useData(async (): Promise<Listed<Row>> => {
    const rows: Array<Row> = []
    let after: string | undefined
    for (let page = 0; page < pages.current; page++) {
      const { data, next } = await load(after)
      rows.push(...data)
      after = next ?? undefined
      if (after === undefined) break
    }
    return { rows, hasMore: after !== undefined }
  }, options)
  const more = () => {
    pages.current += 1
    return data.again()
  }
  return { ...data, more }
}
