import { Schema } from "effect"
import { said } from "../contract/fields.ts"

const time = (description: string) => said(Schema.NullOr(Schema.String), description)

/** An upstream as the process that answers finds it. */
export const UpstreamRecord = Schema.Struct({
  object: Schema.Literal("upstream"),
  name: said(Schema.String, "Its name in `gateway.yaml`."),
  kind: said(Schema.Literal("text", "video"), "What its models make."),
  protocol: said(Schema.NullOr(Schema.String), "What it speaks; null for what is built in."),
  base_url: said(Schema.NullOr(Schema.String), "Where it is; null for what is built in."),
  models: said(Schema.Array(Schema.String), "The models that may run there."),
  circuit: said(
    Schema.Literal("closed", "probing", "open"),
    "`closed` while it is called, `open` while it is left alone, `probing` while one call finds out whether it is back."
  ),
  retry_in_seconds: said(Schema.NullOr(Schema.Number), "When the next call may go, where its circuit is not closed."),
  running: said(Schema.NullOr(Schema.Int), "Calls under way; null where they are not bounded."),
  waiting: said(Schema.NullOr(Schema.Int), "Calls that wait for room; null where they are not bounded."),
  answers: said(Schema.Int, "Calls that it answered since the process began."),
  failures: said(Schema.Int, "Calls that it refused or that failed since the process began."),
  latency_ms: said(
    Schema.NullOr(
      Schema.Struct({
        p50: said(Schema.Int, "Half of the last 200 answers began sooner."),
        p95: said(Schema.Int, "95 of 100 began sooner.")
      })
    ),
    "How long its answers took to begin; null before the first."
  ),
  last_answer_at: time("When it answered last (ISO 8601, UTC)."),
  last_failure: said(
    Schema.NullOr(
      Schema.Struct({
        time: said(Schema.String, "When (ISO 8601, UTC)."),
        status: said(Schema.NullOr(Schema.Int), "The HTTP status; null where no answer came."),
        message: said(Schema.String, "What was wrong.")
      })
    ),
    "What went wrong last."
  )
}).annotations({ identifier: "UpstreamState" })
export type UpstreamRecord = typeof UpstreamRecord.Type

const usd = (description: string) => said(Schema.Number, description)

const Price = Schema.NullOr(
  Schema.Struct({
    input: usd("Dollars for a million input tokens."),
    cached_input: usd("For a million that were read from a cache."),
    output: usd("For a million output tokens, those of a video too."),
    per_search: usd("For a web search."),
    per_second: usd("For a second of video.")
  })
)

/** A model as the process that answers serves it. */
export const ModelRecord = Schema.Struct({
  object: Schema.Literal("model"),
  id: said(Schema.String, "What requests name it by."),
  kind: said(Schema.Literal("text", "video", "embedding"), "What it makes."),
  routes: said(
    Schema.Array(
      Schema.Struct({
        upstream: said(Schema.String, "Where it runs."),
        model: said(Schema.String, "What it is called there."),
        price: said(Price, "What is charged where it answers; null where nobody has priced it.")
      })
    ),
    "Where it may run, in the order in which they are asked."
  ),
  context_tokens: said(Schema.NullOr(Schema.Int), "Its context window; null where it is not known."),
  max_output_tokens: said(Schema.NullOr(Schema.Int), "Its own bound for output; null where it is not known."),
  price: said(Price, "What it costs on its first route; null where nobody has priced it."),
  price_source: said(
    Schema.Struct({
      from: said(
        Schema.Literal("gateway.yaml", "prices_file", "built-in list", "sandbox", "nowhere"),
        "Who says what it costs."
      ),
      name: said(Schema.NullOr(Schema.String), "The name that the price stands under there; null where there is none."),
      as_of: said(
        Schema.NullOr(Schema.String),
        "The day of the built-in list (ISO 8601); null where the price is from elsewhere."
      )
    }),
    "Where the price of its first route comes from."
  ),
  capabilities: said(
    Schema.Struct({
      takes: said(
        Schema.Array(Schema.Literal("images", "pdf", "pdf_text", "tools", "web_search", "video", "audio")),
        "What a request may bring besides text. `pdf_text`: PDFs are sent on as their text."
      ),
      passes_through: said(
        Schema.Array(Schema.Literal("messages", "responses", "chat", "embeddings", "compactions", "videos")),
        "The families whose requests are sent on as they come; those of others are translated."
      ),
      resolutions: said(Schema.NullOr(Schema.Array(Schema.String)), "Of videos; null where it makes none.")
    }),
    "What its first route carries, as far as the gateway knows its protocol; the model behind it may take less."
  )
}).annotations({ identifier: "ServedModel" })
export type ModelRecord = typeof ModelRecord.Type
