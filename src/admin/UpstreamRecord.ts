import { Schema } from "effect"
import { VideoBoundsRecord } from "../catalogue/VideoBoundsRecord.ts"
import { answerField } from "../contract/fields.ts"
import { ModelFacts } from "../contract/records/ModelFacts.ts"
import { PriceSource } from "../ledger/PriceSource.ts"
import { ModelUseRecord } from "../requests/ModelUseRecord.ts"
import { Price as PriceRecord } from "./PriceRecord.ts"
import { allFamilies, modelKinds } from "../contract/kinds.ts"

const time = (description: string) => answerField(Schema.NullOr(Schema.String), description)

/** An upstream's health as the answering process sees it. */
export const UpstreamRecord = Schema.Struct({
  object: Schema.Literal("upstream"),
  name: answerField(Schema.String, "Its name in `gateway.yaml`."),
  kind: answerField(Schema.Literal("text", "video"), "What its models produce."),
  protocol: answerField(Schema.NullOr(Schema.String), "Its protocol; null for built-in upstreams."),
  base_url: answerField(Schema.NullOr(Schema.String), "Its address; null for built-in upstreams."),
  models: answerField(Schema.Array(Schema.String), "Models that route here."),
  circuit: answerField(
    Schema.Literal("closed", "probing", "open"),
    "`closed`: calls go through. `open`: no calls. `probing`: one call tests whether it is back."
  ),
  retry_in_seconds: answerField(
    Schema.NullOr(Schema.Number),
    "When the next call may go, if its circuit is not closed."
  ),
  running: answerField(Schema.NullOr(Schema.Int), "Running calls; null without a limit."),
  waiting: answerField(Schema.NullOr(Schema.Int), "Waiting calls; null without a limit."),
  calls: Schema.optional(answerField(Schema.Int, "Calls to it since the process started.")),
  answers: answerField(Schema.Int, "Those that it began to answer."),
  failures: answerField(
    Schema.Int,
    "Those that it failed, also after its answer had begun. Requests that it refused for what they ask are none."
  ),
  outpaced: Schema.optional(answerField(Schema.Int, "Those that were cancelled because another route answered first.")),
  latency_ms: answerField(
    Schema.NullOr(
      Schema.Struct({
        p50: answerField(Schema.Int, "Half of the last 200 answers began sooner."),
        p95: answerField(Schema.Int, "95 of 100 began sooner.")
      })
    ),
    "Time to the first byte; null before the first answer."
  ),
  last_answer_at: time("When it answered last (ISO 8601, UTC)."),
  last_failure: answerField(
    Schema.NullOr(
      Schema.Struct({
        time: answerField(Schema.String, "When (ISO 8601, UTC)."),
        status: answerField(Schema.NullOr(Schema.Int), "The HTTP status; null without an answer."),
        message: answerField(Schema.String, "The error.")
      })
    ),
    "The last error."
  )
}).annotations({ identifier: "UpstreamState" })
export type UpstreamRecord = typeof UpstreamRecord.Type

const Price = Schema.NullOr(PriceRecord)

/** A model as the answering process serves it. */
export const ModelRecord = Schema.Struct({
  object: Schema.Literal("model"),
  id: answerField(Schema.String, "The id that requests use."),
  kind: answerField(Schema.Literal(...modelKinds), "What the model produces."),
  routes: answerField(
    Schema.Array(
      Schema.Struct({
        upstream: answerField(Schema.String, "The upstream."),
        model: answerField(Schema.String, "Its id there."),
        price: answerField(Price, "The price if this route answers; null if it has none."),
        video: Schema.optionalWith(VideoBoundsRecord, { exact: true }).annotations({
          description: "The bounds of a video model on this route."
        })
      })
    ),
    "Its routes, in the order of the attempts."
  ),
  context_tokens: answerField(
    Schema.NullOr(Schema.Int),
    "Its context window in tokens, as configured, otherwise as lists have it; null if unknown. Requests are refused beyond a configured one alone."
  ),
  max_output_tokens: answerField(
    Schema.NullOr(Schema.Int),
    "Its longest output in tokens, as configured, otherwise the known one; null if unknown."
  ),
  // Absent from gateways of 1.0.
  facts: Schema.optionalWith(ModelFacts, { exact: true }).annotations({
    description: "All that is known of it, on each of its routes; what is absent is unknown."
  }),
  price: answerField(Price, "The price on its first route; null if it has none."),
  price_source: answerField(PriceSource, "The source of its first route's price."),
  capabilities: answerField(
    Schema.Struct({
      takes: answerField(
        Schema.Array(Schema.Literal("images", "pdf", "pdf_text", "tools", "web_search", "video", "audio")),
        "Accepted input besides text, of a video model on any route. `pdf_text`: PDFs are sent as their text."
      ),
      passes_through: answerField(
        Schema.Array(Schema.Literal(...allFamilies)),
        "Families whose requests pass through; those of others are translated."
      ),
      resolutions: answerField(
        Schema.NullOr(Schema.Array(Schema.String)),
        "The resolutions of a video model, on any route; null for others."
      )
    }),
    "The features of its first route's protocol. The model may support fewer."
  ),
  // Absent from gateways of 1.0.
  guardrails: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description: "The names of its guardrails, those of its fallbacks not among them; absent if it has none."
  }),
  use: answerField(
    Schema.NullOr(ModelUseRecord),
    "Its use since `since`; null without it. A wildcard's covers every model that it matches."
  )
}).annotations({ identifier: "ServedModel" })
export type ModelRecord = typeof ModelRecord.Type
