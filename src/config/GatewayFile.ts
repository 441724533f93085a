import { Schema } from "effect"
import { wrongBaseUrl } from "./baseUrl.ts"
import { DatabaseSection } from "./databaseSettings.ts"
import { spanOf } from "./spanOf.ts"
import { Unpriced } from "../contract/Caller.ts"

/** The protocols that an upstream can speak; what each is, `src/upstreams/protocols.ts` says. */
export const protocolNames = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "ark-video",
  "openai-videos"
] as const
export type ProtocolName = (typeof protocolNames)[number]

const HttpUrl = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    message: () => "expected an http:// or https:// address"
  })
)

const BaseUrl = Schema.String.pipe(Schema.filter((text) => wrongBaseUrl(text)))

/** Never seen again once it is read. */
const Secret = Schema.Redacted(Schema.NonEmptyString)

const Seconds = Schema.Number.pipe(Schema.positive())
const Count = Schema.Int.pipe(Schema.positive())
const Usd = Schema.Number.pipe(Schema.nonNegative())

export const LogLevels = Schema.Literal("debug", "info", "warn", "error")
export const LogFormats = Schema.Literal("json", "text")

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
  /** How long new requests are still served after SIGTERM, while readiness fails. */
  leave_seconds: Schema.optional(Schema.Number.pipe(Schema.between(0, 600))),
  /** Processes that serve the port together; more than one only with Postgres. */
  workers: Schema.optional(Schema.Int.pipe(Schema.between(1, 256))),
  drain_seconds: Schema.optional(Schema.Number.pipe(Schema.between(0, 3_600))),
  /** Ranges of the proxies in front of the gateway, whose `X-Forwarded-For` is believed. */
  trusted_proxies: Schema.optional(Schema.Array(Schema.NonEmptyString)),
  /** Origins of pages that may call the gateway from a browser. */
  cors_origins: Schema.optional(Schema.Array(Origin)),
  /** Whether `GET /metrics` is open to whoever reaches the port; to the admin key it always is. */
  metrics: Schema.optional(Schema.Boolean),
  /** PEM files of a certificate with its chain, and of its key: with them the gateway speaks HTTPS. */
  tls: Schema.optional(Schema.Struct({ cert: Schema.NonEmptyString, key: Schema.NonEmptyString }))
})

const Upstream = Schema.Struct({
  protocol: Schema.Literal(...protocolNames),
  base_url: BaseUrl,
  api_key: Schema.optional(Secret),
  /** A row of the table of OpenAI-compatible servers (`vllm`, `ollama`, …); guessed from the address where absent. */
  provider: Schema.optional(Schema.NonEmptyString),
  /** More headers for every request, such as another way to give a key. */
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Secret })),
  /** Serve every model that it lists, under its own id; those named under `models` come first. */
  list_models: Schema.optional(Schema.Boolean),
  /** Mark every prompt that is translated for it for caching; else those are which are likely to be asked again. */
  cache: Schema.optional(Schema.Literal("auto")),
  /** Whether it writes its reasoning into the content, as `<think>…</think>` in front of the answer. */
  think_tags: Schema.optional(Schema.Boolean),
  /** Whether it remembers message threads by itself: they are then its own too. */
  threads: Schema.optional(Schema.Boolean),
  /**
   * Patterns (`pmpt_*`) of the ids of what it keeps (files, containers, conversations, prompts) that every account may
   * name; all others are whose account they were given to.
   */
  shared_ids: Schema.optional(Schema.NonEmptyArray(Schema.NonEmptyString)),
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

/** A `prices_file`: prices by the upstream's id of a model. */
export const PricesFile = Schema.Record({ key: Schema.NonEmptyString, value: Price })

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
  /** What it is; where absent, an embedding model if it is called so (`*embed*`). Video models are known by upstream. */
  kind: Schema.optional(Schema.Literal("text", "embedding")),
  /** Context window in tokens. */
  context: Schema.optional(Count),
  /** The most output tokens a request may ask for; what is known of the model's id where absent, else 32000. */
  max_output_tokens: Schema.optional(Count),
  /** Output tokens that are set aside at most for a request which may write more. */
  hold_output_tokens: Schema.optional(Count),
  price: Schema.optional(Price),
  /** How much of it all callers together may use. */
  limits: Schema.optional(Limits),
  /** Refuse what an upstream can't carry instead of leaving it out. */
  strict: Schema.optional(Schema.Boolean),
  /** Whether the gateway remembers conversations with it (`thread` of a message request). YAML's `on` may be true. */
  threads: Schema.optional(Schema.Union(Schema.Literal("on", "off"), Schema.Boolean)),
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
  /** Whether it may use models without a price although its money is counted; what its account says where absent. */
  unpriced: Schema.optional(Unpriced),
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

const Files = Schema.Struct({
  /** `s3://<bucket>/<prefix>`, or a folder that machines may share; the data directory where absent. */
  at: Schema.optional(Schema.NonEmptyString),
  /** Of a bucket: the server's address, without the bucket; that of AWS where absent. */
  endpoint: Schema.optional(HttpUrl),
  region: Schema.optional(Schema.NonEmptyString),
  /** Whether the bucket is in the path of its addresses, and not in front of the server's name. */
  path_style: Schema.optional(Schema.Boolean),
  access_key_id: Schema.optional(Secret),
  secret_access_key: Schema.optional(Secret),
  session_token: Schema.optional(Secret),
  /** The largest file, in bytes. */
  max_bytes: Schema.optional(Count),
  /** What stays free of the disk, in bytes. */
  free_bytes: Schema.optional(Schema.Int.pipe(Schema.nonNegative()))
})

/** `30d`, `12h`, `90m`. */
const Span = Schema.String.pipe(
  Schema.filter((text) => spanOf(text) !== undefined, {
    message: () => "expected a number of days, hours, minutes or seconds such as 30d, 12h, 90m, 45s"
  })
)

/** `gateway.yaml`. Every field is optional; unknown ones are refused. */
export const GatewayFile = Schema.Struct({
  server: Schema.optional(Server),
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`, which may hold a password; or that as `url` of a mapping. */
  database: Schema.optional(Schema.Union(Secret, DatabaseSection)),
  upstreams: Schema.optional(Schema.Record({ key: Schema.String, value: Upstream })),
  /** By the caller's id: the name of an upstream (same id there), or routes in the order they are tried. */
  models: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Union(Schema.NonEmptyString, Model) })),
  keys: Schema.optional(Schema.Array(DeclaredKey)),
  /** What holds for all keys of an account. */
  accounts: Schema.optional(
    Schema.Record({
      key: Schema.NonEmptyString,
      value: Schema.Struct({ unpriced: Schema.optional(Unpriced), hold_output_tokens: Schema.optional(Count) })
    })
  ),
  /**
   * A YAML or JSON file of prices by the upstream's id of a model, each as a model's `price`: they come before the
   * built-in list's. Relative to this file; read again with it, and when it changes.
   */
  prices_file: Schema.optional(Schema.NonEmptyString),
  /** Whether models without a price may be used by accounts with a balance and keys with a budget; `refuse` where absent. */
  unpriced: Schema.optional(Unpriced),
  search: Schema.optional(Search),
  /** Rows of requests that are kept at most; the oldest go first. */
  requests: Schema.optional(Schema.Struct({ max_rows: Schema.optional(Count) })),
  /** What is told of what the process does, and how: `text` on a terminal and `json` elsewhere where absent. */
  log: Schema.optional(Schema.Struct({ level: Schema.optional(LogLevels), format: Schema.optional(LogFormats) })),
  /** Redis or Valkey, which counts the limits of all processes together. */
  redis: Schema.optional(Schema.Struct({ url: Secret })),
  callbacks: Schema.optional(Schema.Struct({ allow: Schema.optional(Schema.Array(Schema.NonEmptyString)) })),
  /** Where files live that the gateway serves at its own links: `s3://<bucket>/<prefix>` or a folder, in short. */
  files: Schema.optional(Schema.Union(Schema.NonEmptyString, Files)),
  /** Copies of finished videos that upstreams only link to. */
  custody: Schema.optional(Schema.Struct({ keep: Span })),
  retention: Schema.optional(
    Schema.Struct({
      responses_days: Schema.optional(Seconds),
      tasks_days: Schema.optional(Seconds),
      files_hours: Schema.optional(Seconds),
      requests_days: Schema.optional(Seconds)
    })
  )
})
export type GatewayFile = typeof GatewayFile.Type
