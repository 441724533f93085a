import { Schema } from "effect"
import { answerField } from "./fields.ts"
import { wholeNumber } from "./wholeNumber.ts"

/** A text filter of a list. */
export const only = (description: string) => Schema.optional(Schema.String).annotations({ description })

/** Query parameters of a paged list. */
export const PageParams = {
  limit: Schema.optional(wholeNumber(1, 1_000)).annotations({ description: "Rows on a page: 1 to 1000, default 100." }),
  after: Schema.optional(Schema.String).annotations({ description: "The `next` of the page before." })
}

export const pageOf = <A, I>(row: Schema.Schema<A, I>) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: answerField(Schema.Array(row), "The rows of this page."),
    next: answerField(Schema.NullOr(Schema.String), "The `after` of the next page; null on the last page.")
  })

/** A page as OpenAI's clients read it. @param what a row, in the descriptions */
export const openaiPageOf = <A, I>(row: Schema.Schema<A, I>, what: string, data: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: answerField(Schema.Array(row), data),
    first_id: answerField(Schema.NullOr(Schema.String), `The first ${what}'s id; null on an empty page.`),
    last_id: answerField(Schema.NullOr(Schema.String), "The `after` of the next page; null on an empty page."),
    has_more: answerField(Schema.Boolean, "True if there is a next page.")
  })

interface PageQuery {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Rows to skip and to fetch; one more than the page holds, to detect a next page. */
export const offsetOf = ({ after, limit = 100 }: PageQuery) => {
  const offset = Number.parseInt(after ?? "0")
  return { offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0, limit: limit + 1 }
}

/** Builds a page from up to `limit + 1` rows. */
export const toPage = <A>(rows: ReadonlyArray<A>, { limit = 100 }: PageQuery, next: (last: A) => string) => {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { object: "list" as const, data, next: rows.length > limit && last !== undefined ? next(last) : null }
}

/** Like `paged`, with an offset as the cursor. */
export const pagedByOffset = <A>(rows: ReadonlyArray<A>, query: PageQuery) =>
  toPage(rows, query, () => String(offsetOf(query).offset + (query.limit ?? 100)))

/** A list without pages. */
export const wholeList = <A>(data: ReadonlyArray<A>) => ({ object: "list" as const, data, next: null })
