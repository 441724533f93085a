import { Schema } from "effect"
import { said } from "./fields.ts"
import { wholeNumber } from "./wholeNumber.ts"

/** A text that a list may be narrowed by. */
export const only = (description: string) => Schema.optional(Schema.String).annotations({ description })

/** Rows on a page, and where it begins. */
export const PageParams = {
  limit: Schema.optional(wholeNumber(1, 1_000)).annotations({ description: "Rows on a page: 1 to 1000, default 100." }),
  after: Schema.optional(Schema.String).annotations({ description: "The `next` of the page before." })
}

export const pageOf = <A, I>(row: Schema.Schema<A, I>) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: said(Schema.Array(row), "The rows of this page."),
    next: said(Schema.NullOr(Schema.String), "The `after` of the next page; null on the last page.")
  })

interface Asked {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Rows to skip and to ask for: one more than the page has, which tells whether there is another. */
export const offsetOf = ({ after, limit = 100 }: Asked) => {
  const offset = Number.parseInt(after ?? "0")
  return { offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0, limit: limit + 1 }
}

/** A page of what was asked for with one row more. */
export const paged = <A>(rows: ReadonlyArray<A>, { limit = 100 }: Asked, next: (last: A) => string) => {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { object: "list" as const, data, next: rows.length > limit && last !== undefined ? next(last) : null }
}

/** The same where pages begin at an offset. */
export const pagedByOffset = <A>(rows: ReadonlyArray<A>, asked: Asked) =>
  paged(rows, asked, () => String(offsetOf(asked).offset + (asked.limit ?? 100)))
