import { Record, Schema } from "effect"
import { ByImage } from "./ByImage.ts"
import { PerCall } from "./PerCall.ts"
import { Fallbacks } from "./Fallbacks.ts"
import { optionalField, requiredField } from "./fields.ts"
import { ProtocolSetting } from "./Upstream.ts"
import { Count, Seconds, Text, Usd } from "./values.ts"
import { Resolution, VideoBounds } from "./Video.ts"
import { piecePrices } from "../../contract/records/piecePrices.ts"
import { ModelFacts } from "../../contract/records/ModelFacts.ts"
import { GuardrailNames } from "../../contract/callers/GuardrailNames.ts"
import { calledKinds } from "../../contract/kinds.ts"
import { variantsRule } from "./variantNames.ts"
import { weekdays } from "./weekdays.ts"

/** A rate in US dollars, or one for each resolution of a video. A resolution that is not named costs as the dearest. */
const ByResolution = Schema.Union(
  Usd,
  Schema.Record({
    key: Resolution,
    value: Usd
  }).pipe(Schema.filter((rates) => Object.keys(rates).length > 0 || "expected a resolution"))
)

/** The rates of some videos. */
const VideoRates = Schema.Struct({
  output: Schema.optional(ByResolution),
  per_second: Schema.optional(ByResolution)
})

const Factor = Schema.Number.pipe(Schema.between(0, 100))
const ModalRates = Schema.partial(Schema.Struct({ input: Usd, cached_input: Usd, output: Usd }))
const TokenRates = Schema.partial(
  Schema.Struct({
    input: Usd,
    cached_input: Usd,
    cache_write: Usd,
    cache_write_1h: Usd,
    cache_write_12h: Usd,
    output: Usd,
    reasoning: Usd,
    audio: ModalRates,
    image: ModalRates,
    video: ModalRates
  })
)
/** Rates by the number of input tokens that a request must pass. */
const Above = Schema.Record({ key: Schema.String, value: TokenRates }).pipe(
  Schema.filter((steps) => {
    const wrong = Object.keys(steps).find((tokens) => !/^[1-9]\d{0,8}$/.test(tokens))
    return wrong === undefined || { path: [wrong], message: "expected a number of tokens, such as 200000" }
  })
)
const Variants = Schema.Record({
  key: Text,
  value: Schema.Union(Factor, Schema.extend(TokenRates, Schema.partial(Schema.Struct({ above: Above }))))
}).pipe(Schema.filter(variantsRule))
const isSome = (all: ReadonlyArray<string>) => all.length > 0 || "expected at least one"

const Hours = Schema.Struct({
  utc: optionalField(
    Schema.Array(
      Schema.String.pipe(
        Schema.filter((text) => /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), {
          message: () => 'expected a span of the day in UTC, "22:00-02:00"'
        })
      )
    ).pipe(Schema.filter(isSome)),
    "Spans of the day in UTC; one that ends before it begins passes midnight.",
    "all day"
  ),
  days: optionalField(
    Schema.Array(Schema.Literal(...weekdays)).pipe(Schema.filter(isSome)),
    "Days of the week.",
    "each day"
  ),
  factor: requiredField(Factor, "Of all rates of tokens.")
})

/** Prices in US dollars per million tokens, per search and per second of video. */
export const Price = Schema.Struct({
  input: optionalField(Usd, "Per million input tokens, without cache reads and writes."),
  cached_input: optionalField(Usd, "Per million tokens read from the cache.", "as `input`"),
  cache_write: optionalField(Usd, "Per million tokens written to the cache.", "as `input`"),
  cache_write_1h: optionalField(Usd, "Per million tokens written to a one-hour cache.", "as `cache_write`"),
  cache_write_12h: optionalField(Usd, "Per million tokens written to a twelve-hour cache.", "as `cache_write`"),
  output: optionalField(
    ByResolution,
    "Per million output tokens. For videos also by resolution: `{ 720p: 7, 1080p: 7.7 }`; a resolution that is not named costs as the dearest."
  ),
  reasoning: optionalField(Usd, "Per million reasoning tokens, which are part of the output.", "as `output`"),
  per_search: optionalField(Usd, "Per web search.", "`per_call.web_search`"),
  per_call: optionalField(
    PerCall,
    "Per call of a tool that the provider runs, by tool: `{ image_generation: 0.2, maps: { usd: 0.025, once: true } }`; `once` counts one call an answer. Tools: `web_search`, `image_generation`, `code_interpreter`, `code_execution`, `shell`, `file_search`, `x_search`, `collections_search`, `maps`."
  ),
  ...Record.map(piecePrices, ({ says }) => optionalField(Usd, says)),
  per_image: optionalField(
    ByImage,
    'Per image that an image model makes; also by quality and size: `{ high/1024x1024: 0.167, low/*: 0.02, "*": 0.04 }`. A request with `auto` holds the dearest that it may be, and pays for what the answer says. One that is not named costs as the dearest.'
  ),
  per_second: optionalField(ByResolution, "Per second of video; also by resolution: `{ 720p: 0.1, 1080p: 0.2 }`."),
  with_video: optionalField(
    VideoRates,
    "`{ output, per_second }` of a video that has videos among its inputs.",
    "as other videos"
  ),
  with_audio: optionalField(VideoRates, "`{ output, per_second }` of a video with sound.", "as without sound"),
  flex: optionalField(
    Schema.Number.pipe(Schema.between(0, 1)),
    "The same as `service_tier: { flex }`, as a factor.",
    "`1`"
  ),
  above: optionalField(
    Above,
    "The rates of tokens of requests with more input tokens: `{ 272000: { input: 5, output: 22.5 } }`.",
    "the same rates"
  ),
  service_tier: optionalField(
    Variants,
    "By the tier that served the answer, a factor of all rates of tokens, or rates: `{ priority: 2, flex: { input: 1, output: 4 } }`. `fast` is `priority`.",
    "a tier without a price is refused where money is counted"
  ),
  speed: optionalField(Variants, "The same by the answer's `speed`: `{ fast: 2 }`."),
  inference_geo: optionalField(Variants, "The same by the answer's `inference_geo`: `{ us: 1.1 }`."),
  hours: optionalField(
    Schema.Array(Hours),
    'A factor by the time when the request arrived, the first that matches: `[{ utc: ["22:00-02:00"], days: [sat], factor: 0.5 }]`.',
    "the same at all hours"
  ),
  factor: optionalField(Factor, "Of all rates of tokens, after all others: residency, a contract.", "`1`"),
  audio: optionalField(ModalRates, "Sound, per million tokens: `{ input, cached_input, output }`.", "as text"),
  image: optionalField(ModalRates, "Images, per million tokens.", "as text"),
  video: optionalField(ModalRates, "Film, per million tokens.", "as text"),
  per_request: optionalField(Usd, "Per request."),
  per_input_image: optionalField(
    Schema.Struct({ usd: Usd, free: Schema.optional(Schema.NonNegativeInt) }),
    "Per picture among a video's inputs, beyond those that are `free`: `{ usd: 0.04, free: 5 }`.",
    "`0`; `free: 0`"
  ),
  told: optionalField(
    Schema.Boolean,
    "Charge what the provider says that it charged (OpenRouter, xAI, Perplexity); the rates are for holds.",
    "`false`"
  )
})

/** A `prices_file`: prices by the upstream's id of a model, or by `provider/id`. */
export const PricesFile = Schema.Record({ key: Schema.NonEmptyString, value: Price })

export const Limits = Schema.Struct({
  requests_per_minute: optionalField(Count, "Requests per minute.", "no limit"),
  tokens_per_minute: optionalField(Count, "Input and output tokens per minute.", "no limit"),
  concurrent_requests: optionalField(Count, "Concurrent requests.", "no limit"),
  concurrent_tasks: optionalField(Count, "Unfinished tasks.", "no limit")
})

/** `limits.unfinished`: what requests that are not finished may hold. */
export const UnfinishedLimits = Schema.Struct({
  descriptors: optionalField(
    Count,
    "Connections of these requests and temporary files of their forms.",
    "three quarters of the process's descriptors (`RLIMIT_NOFILE`); of a key a quarter of that"
  ),
  connections: optionalField(Count, "Requests and WebSockets, each of which holds a connection.", "as `descriptors`"),
  bytes: optionalField(
    Count,
    "Bytes of request bodies, in memory and on disk; at most a quarter of them in memory.",
    "`2147483648`; of a key a quarter of that"
  )
})

/** The limits of a declared key. */
export const KeyLimits = Schema.Struct({
  ...Limits.fields,
  unfinished: optionalField(
    UnfinishedLimits,
    "What the key's requests that are not finished may hold in each process: [fields](#unfinished-requests).",
    "a quarter of what all may hold"
  )
})
export type KeyLimits = typeof KeyLimits.Type

/** An entry of `routes`. */
export const Route = Schema.Struct({
  upstream: requiredField(Text, "A name from `upstreams`."),
  model: optionalField(Text, "The upstream's id of the model.", "the caller's id"),
  protocol: optionalField(
    ProtocolSetting,
    "The protocol in which the upstream is asked for this model.",
    "the upstream's, otherwise its provider's for this model"
  ),
  weight: optionalField(
    Schema.Number.pipe(Schema.positive()),
    "Its share of the conversations among the routes with a weight, which come first ([order](#the-order-of-routes)).",
    "tried after those with a weight, in order"
  ),
  price: optionalField(Price, "In USD, on this route; see [Prices](#prices).", "the model's `price`"),
  first_byte_seconds: optionalField(Seconds, "Text and embeddings: until its answer begins.", "the upstream's"),
  idle_seconds: optionalField(Seconds, "Text and embeddings: between two pieces of its answer.", "the upstream's"),
  max_concurrency: optionalField(
    Count,
    "Text and embeddings: the most concurrent requests of this route, beside the upstream's own bound. Others wait as there.",
    "no limit"
  ),
  video: optionalField(VideoBounds, "The [bounds of its videos](#bounds-of-video-models).", "the model's `video`")
})

/** Another name of a model. */
export const Alias = Schema.Struct({
  alias: requiredField(Text, "Another name of `models`, whose routes, price, limits and `strict` count.")
})

/** An entry of `models` as a mapping. */
export const Model = Schema.Struct({
  routes: requiredField(
    Schema.NonEmptyArray(Route),
    "`{ upstream, model }`, tried in order; all text or all video. A video goes to the first route that supports it and has room, and to another only once the first is known not to have accepted it."
  ),
  kind: optionalField(
    Schema.Literal(...calledKinds),
    "The kind of model; video models are recognised by their upstream.",
    "`embedding` if its id or the upstream's contains `embed`, `rerank` if it contains `rerank`, `moderation` if it ends so (`omni-moderation-latest`), `image` if it begins as those of image models do (`gpt-image`, `dall-e`, `imagen-`, `grok-imagine-image`), `speech` for `tts-1`, `gpt-…-tts` and `playai-tts`, `transcription` if it contains `whisper` or `transcribe`, otherwise `text`"
  ),
  prefer: optionalField(
    Schema.Literal("order", "cheapest", "fastest"),
    "The order of the routes: as written, by price, or by the median time to the first byte in the last minutes ([order](#the-order-of-routes)).",
    "`order`"
  ),
  fallbacks: optionalField(
    Fallbacks,
    "`{ too_long, refused, failed }`: a model, or a list, that answers in its place ([fallbacks](#fallbacks)).",
    "none"
  ),
  sticky: optionalField(
    Schema.Union(Schema.Literal("conversation", "off"), Schema.Literal(false)),
    "`conversation`: a conversation whose route failed stays for ten minutes at the route that answered instead ([order](#the-order-of-routes)).",
    "`off`: it goes back as soon as the route is well"
  ),
  hedge_seconds: optionalField(
    Seconds,
    "For answers that are neither streamed nor stored: the second route is asked too if the first is silent for so long ([hedging](#hedging)).",
    "off"
  ),
  context: optionalField(
    Count,
    "The context window in tokens. Longer input is refused, or truncated if the caller asked for that.",
    "the upstream decides"
  ),
  max_output_tokens: optionalField(
    Count,
    "The most output that the model writes. Translated requests that ask for more (`max_tokens`, `max_output_tokens`) are cut to it and to the room that the input leaves in `context`; `x-gateway-adapted` names the field. In strict mode they are refused. Passthrough requests keep their value.",
    "the known maximum of the route's model, of other families than Claude and GPT if its provider's is listed and the model is not strict, otherwise the one that the upstream names when it refuses a request, for ten minutes; 32000 at the sandbox"
  ),
  facts: optionalField(
    ModelFacts.omit("context_tokens", "max_output_tokens"),
    "What else `GET /v1/models` says of it: `inputs` and `outputs` (of `text`, `image`, `audio`, `video`, `file`), `max_input_tokens`, `tools`, `thinking`, `efforts`, `structured_output`, `caching`, and the days `released` and `retires`.",
    "those that the [lists](#prices) or its upstream's own list know"
  ),
  hold_output_tokens: optionalField(
    Count,
    "The most output tokens that a hold on the balance and `tokens_per_minute` covers: a hold for 128,000 tokens would be about ten dollars. Callers pay for what is written, at most what is held: output beyond it costs you, not them, so set it to what answers really need. `accounts` has it too; the smaller value applies.",
    "the request's own maximum, otherwise that of the route's model (`max_output_tokens`, or the known one), otherwise 16384"
  ),
  price: optionalField(
    Price,
    "In USD, on routes without their own; see [Prices](#prices).",
    "from the `prices_file`, otherwise the public list"
  ),
  limits: optionalField(Limits, "[Limits](#limits) for all callers together.", "none"),
  guardrails: optionalField(
    GuardrailNames,
    "Names of [guardrails](guardrails.md) that look at the texts of its requests, also where it answers for another model.",
    "none"
  ),
  strict: optionalField(
    Schema.Boolean,
    "Refuse fields that the upstream does not support with a 400 that names them, instead of omitting them.",
    "`false`"
  ),
  threads: optionalField(
    Schema.Union(Schema.Literal("on", "off"), Schema.Boolean),
    "`off`: refuse `thread` in message requests ([threads](api.md#threads)); official clients then send the whole conversation.",
    "`on`"
  ),
  resolutions: optionalField(
    Schema.NonEmptyArray(Resolution),
    "The resolutions of a video model; the same as `video: { resolutions }`.",
    "those that its maker publishes, otherwise `480p`, `720p`, `1080p`"
  ),
  video: optionalField(
    VideoBounds,
    "The [bounds of a video model](#bounds-of-video-models), on routes without their own.",
    "those that its maker publishes"
  )
})
