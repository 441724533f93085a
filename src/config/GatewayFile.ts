import { Schema } from "effect"

/** Protocols an upstream can speak, and the kind of model each serves. */
export const protocols = {
  "anthropic-messages": "text",
  "openai-responses": "text",
  "openai-chat": "text",
  "ark-video": "video",
  "openai-videos": "video"
} as const

const HttpUrl = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    message: () => "expected an http:// or https:// address"
  })
)

/** Never seen again once it is read. */
const Secret = Schema.Redacted(Schema.NonEmptyString)

const Seconds = Schema.Number.pipe(Schema.positive())
const Count = Schema.Int.pipe(Schema.positive())
const Usd = Schema.Number.pipe(Schema.nonNegative())

const Origin = Schema.String.pipe(
  Schema.filter((text) => text === "*" || (URL.canParse(text) && new URL(text).origin === text), {
    message: () => "expected an origin such as https://app.example.com, or *"
  })
)

const Server = Schema.Struct({
  host: Schema.optional(Schema.NonEmptyString),
  port: Schema.optional(Schema.Int.pipe(Schema.between(0, 65_535))),
  /** Where clients reach the gateway: file links begin with it. */
  public_url: Schema.optional(HttpUrl),
  drain_seconds: Schema.optional(Schema.Number.pipe(Schema.between(0, 3_600))),
  /** Origins of pages that may call the gateway from a browser. */
  cors_origins: Schema.optional(Schema.Array(Origin)),
  /** Whether `GET /metrics` is there, for whoever reaches the port. */
  metrics: Schema.optional(Schema.Boolean)
})

const Upstream = Schema.Struct({
  protocol: Schema.Literal("anthropic-messages", "openai-responses", "openai-chat", "ark-video", "openai-videos"),
  base_url: HttpUrl,
  api_key: Schema.optional(Secret),
  /** A row of the table of OpenAI-compatible servers (`vllm`, `ollama`, …); guessed from the address where absent. */
  provider: Schema.optional(Schema.NonEmptyString),
  /** More headers for every request, such as another way to give a key. */
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Secret })),
  /** Serve every model that it lists, under its own id; those named under `models` come first. */
  list_models: Schema.optional(Schema.Boolean),
  /** Requests under way at a time; the rest wait in a fair queue. */
  max_concurrency: Schema.optional(Count),
  /** The longest wait in that queue. */
  queue_seconds: Schema.optional(Seconds),
  connect_seconds: Schema.optional(Seconds),
  first_byte_seconds: Schema.optional(Seconds),
  idle_seconds: Schema.optional(Seconds)
})

/** US dollars: per million tokens, per search, per second of video. */
export const Price = Schema.Struct({
  input: Schema.optional(Usd),
  cached_input: Schema.optional(Usd),
  cache_write: Schema.optional(Usd),
  output: Schema.optional(Usd),
  reasoning: Schema.optional(Usd),
  per_search: Schema.optional(Usd),
  per_second: Schema.optional(Usd)
})

const Limits = Schema.Struct({
  requests_per_minute: Schema.optional(Count),
  tokens_per_minute: Schema.optional(Count),
  concurrent_requests: Schema.optional(Count),
  /** Tasks that have not ended. */
  concurrent_tasks: Schema.optional(Count)
})
export type Limits = typeof Limits.Type

const Route = Schema.Struct({
  upstream: Schema.NonEmptyString,
  /** The model's id there; the caller's id where absent. */
  model: Schema.optional(Schema.NonEmptyString)
})

const Model = Schema.Struct({
  routes: Schema.NonEmptyArray(Route),
  /** Context window in tokens. */
  context: Schema.optional(Count),
  price: Schema.optional(Price),
  /** How much of it all callers together may use. */
  limits: Schema.optional(Limits),
  /** Refuse what an upstream can't carry instead of leaving it out. */
  strict: Schema.optional(Schema.Boolean),
  /** Of a video model: the resolutions it can make. */
  resolutions: Schema.optional(Schema.NonEmptyArray(Schema.Literal("480p", "720p", "1080p", "2k", "4k")))
})

/** A key that the file keeps: made with it, changed with it, revoked once it is gone from it. */
const DeclaredKey = Schema.Struct({
  /** What makes it the same key when the rest changes. */
  name: Schema.NonEmptyString,
  secret: Schema.Redacted(
    Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))
  ),
  /** Whose key it is; an account of its own, with the key's name, where absent. */
  account: Schema.optional(Schema.NonEmptyString),
  /** Patterns of the models it may use (`claude-*`); all where absent. */
  models: Schema.optional(Schema.NonEmptyArray(Schema.NonEmptyString)),
  /**
   * A grant to its account, given once however often the gateway starts; another figure grants or withdraws the
   * difference. Without one the account is unmetered, unless it was credited otherwise.
   */
  balance_usd: Schema.optional(Usd),
  limits: Schema.optional(Limits)
})

const Search = Schema.Struct({
  provider: Schema.Literal("brave", "tavily", "searxng"),
  api_key: Schema.optional(Secret),
  base_url: Schema.optional(HttpUrl)
}).pipe(
  Schema.filter((search) =>
    search.provider === "searxng"
      ? search.base_url !== undefined || { path: ["base_url"], message: "is required for searxng" }
      : search.api_key !== undefined || { path: ["api_key"], message: `is required for ${search.provider}` }
  )
)

/** `gateway.yaml`. Every field is optional; unknown ones are refused. */
export const GatewayFile = Schema.Struct({
  server: Schema.optional(Server),
  /** `sqlite:<path>` or `sqlite::memory:`. */
  database: Schema.optional(Schema.NonEmptyString),
  upstreams: Schema.optional(Schema.Record({ key: Schema.String, value: Upstream })),
  /** By the caller's id: the name of an upstream (same id there), or routes in the order they are tried. */
  models: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Union(Schema.NonEmptyString, Model) })),
  keys: Schema.optional(Schema.Array(DeclaredKey)),
  search: Schema.optional(Search),
  callbacks: Schema.optional(Schema.Struct({ allow: Schema.optional(Schema.Array(Schema.NonEmptyString)) })),
  retention: Schema.optional(
    Schema.Struct({
      responses_days: Schema.optional(Seconds),
      tasks_days: Schema.optional(Seconds),
      files_hours: Schema.optional(Seconds)
    })
  )
})
export type GatewayFile = typeof GatewayFile.Type
