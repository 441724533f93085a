import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

/** Query parameters of a list of items. */
export const ItemPageParams = {
  after: Schema.optional(Schema.String).annotations({ description: "Id of the item after which the page begins." }),
  limit: Schema.optional(wholeNumber(1, 100)).annotations({ description: "Items on a page. Default 20." }),
  order: Schema.optional(Schema.Literal("asc", "desc")).annotations({ description: "Default `desc`." })
}

export type ItemPageQuery = Schema.Struct.Type<typeof ItemPageParams>

/** A list of items. */
export const itemPageOf = <A, I>(item: Schema.Schema<A, I>, data: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: answerField(Schema.Array(item), data),
    first_id: answerField(Schema.NullOr(Schema.String), "Id of the first item; null on an empty page."),
    last_id: answerField(Schema.NullOr(Schema.String), "Id of the last item, for `after`; null on an empty page."),
    has_more: answerField(Schema.Boolean, "True if there are more items.")
  })
