import { Schema } from "effect"
import { given, needed } from "./given.ts"
import { Count, Text, Usd } from "./values.ts"

/** US dollars: per million tokens, per search, per second of video. */
export const Price = Schema.Struct({
  input: given(Usd, "A million tokens of input that is neither read from a cache nor written to one."),
  cached_input: given(Usd, "A million tokens read from a cache.", "as `input`"),
  cache_write: given(Usd, "A million tokens written to one.", "as `input`"),
  cache_write_1h: given(Usd, "A million tokens written to one that keeps them for an hour.", "as `cache_write`"),
  output: given(Usd, "A million tokens of output."),
  reasoning: given(Usd, "A million tokens of reasoning, which are part of the output.", "as `output`"),
  per_search: given(Usd, "A web search."),
  per_second: given(Usd, "A second of video.")
})

/** A `prices_file`: prices by the upstream's id of a model. */
export const PricesFile = Schema.Record({ key: Schema.NonEmptyString, value: Price })

export const Limits = Schema.Struct({
  requests_per_minute: given(Count, "Requests in a minute.", "no bound"),
  tokens_per_minute: given(Count, "Tokens in a minute, of input and output.", "no bound"),
  concurrent_requests: given(Count, "Requests at a time.", "no bound"),
  concurrent_tasks: given(Count, "Tasks that have not ended.", "no bound")
})
export type Limits = typeof Limits.Type

const Route = Schema.Struct({
  upstream: needed(Text, "Its name under `upstreams`."),
  model: given(Text, "The model's id there.", "the caller's id")
})

/** An entry of `models` in its long form. */
export const Model = Schema.Struct({
  routes: needed(
    Schema.NonEmptyArray(Route),
    "`{ upstream, model }`, tried in order; all text or all video. A video goes to the first that can make it and has room; never to another while it is not known whether one has it."
  ),
  kind: given(
    Schema.Literal("text", "embedding"),
    "What it is; video models are known by their upstream.",
    "`embedding` where `embed` is in its id or in that at its upstream, else `text`"
  ),
  context: given(
    Count,
    "The window in tokens: what exceeds it is refused, or cut where the caller asked for that.",
    "its upstream judges"
  ),
  max_output_tokens: given(
    Count,
    "The most that `max_tokens` and `max_output_tokens` may ask for; sandbox models have 32000. A request that is passed through goes as it is. One that is translated is cut to what the route's model is known to write, and `x-gateway-adapted` names the field.",
    "what is known of the id (Claude and GPT families), else 32000 for messages and no bound for responses"
  ),
  hold_output_tokens: given(
    Count,
    "The most output tokens that money and `tokens_per_minute` are set aside for, where a request may write more: 128,000 tokens would hold about ten dollars. What is written is paid for. Under `accounts` it holds for an account's requests; the smaller one counts.",
    "what the request may write"
  ),
  price: given(Price, "USD; see [Prices](#prices).", "that of the `prices_file`, else of the public list"),
  limits: given(Limits, "[Limits](#limits) for all callers together.", "none"),
  strict: given(
    Schema.Boolean,
    "Refuse what the upstream can't carry with a 400 that names it, instead of leaving it out.",
    "`false`"
  ),
  threads: given(
    Schema.Union(Schema.Literal("on", "off"), Schema.Boolean),
    "`off`: no `thread` in message requests ([threads](api.md#threads)); official clients then send the whole conversation.",
    "`on`"
  ),
  resolutions: given(
    Schema.NonEmptyArray(Schema.Literal("480p", "720p", "1080p", "2k", "4k")),
    "Of a video model: what it can make.",
    "`480p`, `720p`, `1080p`"
  )
})
