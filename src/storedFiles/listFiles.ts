import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { ListFiles } from "./Api.ts"
import type { FileRecord } from "./FileRecord.ts"
import { StoredFiles } from "./StoredFiles.ts"

/** Anthropic's bounds of a page. */
const [anthropicLimit, anthropicMost] = [20, 1_000]

interface Page {
  readonly files: ReadonlyArray<FileRecord>
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
  readonly next_page: string | null
}

const nothing: Page = { files: [], first_id: null, last_id: null, has_more: false, next_page: null }

/** Lists files by pages, forwards and backwards. */
export const makeListFiles = Effect.map(StoredFiles, (stored) => {
  const cursor = (holder: Holder, param: string, id: string | undefined) =>
    id === undefined
      ? Effect.succeed(undefined)
      : Effect.mapError(
          stored.find(holder, id),
          () =>
            new InvalidRequest({ param, message: `${param}: no file has the id ${JSON.stringify(id.slice(0, 100))}` })
        )

  return Effect.fnUntraced(function* (holder: Holder, query: ListFiles, isAnthropic: boolean) {
    const { after = query.after_id ?? query.page, before_id: before, order = "desc", purpose } = query
    const limit = query["ids[]"]?.length ?? query.limit ?? (isAnthropic ? anthropicLimit : 10_000)
    if (isAnthropic && limit > anthropicMost) {
      return yield* new InvalidRequest({
        param: "limit",
        message: `limit: expected 1 to ${anthropicMost}; got ${limit}`
      })
    }
    if (after !== undefined && before !== undefined) {
      return yield* new InvalidRequest({
        param: "before_id",
        message: "before_id: can't be sent together with after_id"
      })
    }
    if (query.scope_id !== undefined) return nothing
    const isBackwards = before !== undefined
    const from = yield* cursor(holder, isBackwards ? "before_id" : isAnthropic ? "after_id" : "after", before ?? after)
    const found = yield* stored.list(holder, {
      purpose,
      ids: query["ids[]"],
      order: isBackwards === (order === "desc") ? "asc" : "desc",
      after: from,
      limit: limit + 1
    })
    const some = found.slice(0, limit)
    const files = isBackwards ? some.toReversed() : some
    const page: Page = {
      files,
      first_id: files.at(0)?.id ?? null,
      last_id: files.at(-1)?.id ?? null,
      has_more: found.length > limit,
      next_page: found.length > limit ? (files.at(-1)?.id ?? null) : null
    }
    return page
  })
})
