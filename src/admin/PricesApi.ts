import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"
import { PriceListRecord } from "./PriceListRecord.ts"

/** `/admin/v1/prices`. */
export class AdminPricesApi extends HttpApiGroup.make("adminPrices")
  .add(
    HttpApiEndpoint.post("refresh", "/admin/v1/prices/refresh")
      .setPayload(
        Schema.Struct({
          accept: Schema.optional(Schema.NullOr(Schema.Boolean)).annotations({
            description: "True to use prices that move more than tenfold, too. Default false."
          })
        }).annotations({ identifier: "RefreshPrices" })
      )
      .addSuccess(PriceListRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Fetch the published list of prices",
          description:
            "From `prices.from` of the configuration. The answering node uses it at once, the others within half a minute. A " +
            "list that can't be fetched or read changes nothing."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("reset", "/admin/v1/prices")
      .addSuccess(
        Schema.Struct({
          object: Schema.Literal("price_list"),
          deleted: answerField(Schema.Boolean, "False if there was none.")
        }).annotations({ identifier: "PriceListDeleted" })
      )
      .annotateContext(OpenApi.annotations({ summary: "Delete the fetched list of prices: the built-in one counts" }))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(OpenApi.annotations({ title: "Prices", description: "The published list of prices." })) {}
