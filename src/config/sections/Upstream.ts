import { Schema } from "effect"
import { Unpriced } from "../../contract/callers/Caller.ts"
import { optionalField } from "./fields.ts"
import { AuthSetting } from "./Auth.ts"
import { PemFile } from "../SecretFiles.ts"
import { ProxySetting } from "./Proxy.ts"
import { UpstreamKey } from "./UpstreamKey.ts"
import { BaseUrl, Count, HeaderSecret, Seconds, Text } from "./values.ts"

/** The protocols that an upstream can speak; what each is, `src/upstreams/protocols.ts` says. */
export const protocolNames = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "gemini",
  "bedrock-converse",
  "ark-video",
  "openai-videos",
  "minimax-video",
  "dashscope-video",
  "veo",
  "kling-video"
] as const
export type ProtocolName = (typeof protocolNames)[number]

/** `protocol` of an upstream or of a route. */
export const ProtocolSetting = Schema.Literal(...protocolNames)

const AddressPart = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, { message: () => "expected letters, digits, dots and dashes" })
)

/** The certificates of calls to a server. */
export const ClientTls = Schema.Struct({
  ca: Schema.optional(PemFile),
  cert: Schema.optional(PemFile),
  key: Schema.optional(PemFile)
}).pipe(
  Schema.filter(({ cert, key }) => (cert === undefined) === (key === undefined) || "expected cert and key together")
)

/** An entry of `upstreams`. */
export const Upstream = Schema.Struct({
  provider: optionalField(
    Text,
    "A provider or a kind of server (`vertex`, `groq`, `vllm`, …): [a row of `gateway providers`](#providers), which gives what is not written here: addresses, protocols, credentials, names in price lists, deviations.",
    "detected from address or name, for deviations alone"
  ),
  protocol: optionalField(
    ProtocolSetting,
    "The protocol of its models. `veo`, and those with `video` in their names, are for videos. Needed without `provider`.",
    "by `provider`, for each model"
  ),
  base_url: optionalField(
    BaseUrl,
    "Beside `protocol`: the base URL in the provider's own form, with the version, without the endpoint; needed without `provider`. Without `protocol`: in place of the beginning of the provider's addresses, such as `http://127.0.0.1:9000`.",
    "by `provider`"
  ),
  api_key: optionalField(HeaderSecret, "Sent with every request.", "no key"),
  keys: optionalField(
    Schema.Array(UpstreamKey).pipe(
      Schema.filter((keys) => keys.length > 0 || "expected one key or more", {
        message: () => "expected a list of keys"
      })
    ),
    'In place of `api_key`: several keys, `["${A}", { key: "${B}", weight: 2 }]`, that share the conversations ([several keys](#several-keys)).',
    "`api_key` alone"
  ),
  auth: optionalField(
    AuthSetting,
    "How it knows who calls: `key`, or by credentials of a cloud, `aws`, `google` or `azure`, or [their fields](#cloud-credentials), with `kind`.",
    "`key`"
  ),
  region: optionalField(
    AddressPart,
    "The region in the provider's addresses; with `auth: aws` also in signatures.",
    "for AWS: from a written address, otherwise `AWS_REGION` or `AWS_DEFAULT_REGION`"
  ),
  project: optionalField(AddressPart, "The project in the provider's addresses (`vertex`)."),
  resource: optionalField(
    AddressPart,
    "The resource in the provider's addresses (`azure`, `azure-deployments`, `foundry`)."
  ),
  headers: optionalField(
    Schema.Record({ key: Schema.String, value: HeaderSecret }),
    "Headers for every request, such as another form of authentication."
  ),
  proxy: optionalField(
    ProxySetting,
    "`http://<host>:<port>`, which its calls go by, or `off` ([proxies](#proxies)).",
    "the top level's"
  ),
  tls: optionalField(
    ClientTls,
    "`{ ca, cert, key }`: PEM files, relative to `gateway.yaml`: the authority that signs its certificate, and the certificate and key that the gateway shows ([proxies](#proxies)).",
    "the usual authorities, no certificate"
  ),
  models: optionalField(
    Schema.Record({ key: Schema.String, value: Text }),
    "`{ my-deployment: gpt-6.1 }`: the public id of the model behind a name there, for prices, limits and efforts. Requests keep the name.",
    "each name is its model's id"
  ),
  list_models: optionalField(
    Schema.Boolean,
    "Serve all models that it lists, under their own ids; models of the file take precedence. If the list can't be read or is empty, the previous one stays, and the gateway retries (after 1 s, 2 s, … 60 s).",
    "`false`"
  ),
  unpriced: optionalField(
    Unpriced,
    "Whether accounts with a balance and keys with a budget may use its models without a price: `allow` for a server of your own. A key's and an account's own setting comes first ([prices](#prices)).",
    "the top level's"
  ),
  default_service_tier: optionalField(
    Text,
    "The tier (`default`, `priority`, `flex`, …) of requests that name none, or `auto`: it is sent, and holds and quotes assume it. Set it to the tier of the provider's project if that is another one than the standard one ([prices](#prices)).",
    "nothing is sent: the provider's project or workspace decides"
  ),
  default_inference_geo: optionalField(
    Text,
    "`anthropic-messages` only: the same for `inference_geo` (`us`, `global`).",
    "nothing is sent: the workspace decides, and the dearest place is held"
  ),
  price_factor: optionalField(
    Schema.Number.pipe(Schema.between(0, 100)),
    "A factor of the rates of tokens in the lists: residency, a contract. Prices of `gateway.yaml` and of the `prices_file` stay as they are.",
    "that of its host, where providers charge for a region ([prices](#prices)); otherwise `1`"
  ),
  cache: optionalField(
    Schema.Literal("auto"),
    "`anthropic-messages` only: `auto` adds cache marks to every translated prompt, including first questions.",
    "continued conversations get cache marks"
  ),
  anthropic_beta: optionalField(
    Schema.Union(Schema.Struct({ allow: Schema.Array(Text) }), Schema.Struct({ drop: Schema.NonEmptyArray(Text) })),
    "`anthropic-messages` only: `{ allow: [...] }` or `{ drop: [...] }`: the betas of callers' `anthropic-beta` headers that it gets, in place of [those that its place takes](upstreams.md#betas). `allow` sends what it lists under any circumstances, and nothing else; `drop` takes away. Dropped ones go with their fields, are named in `x-gateway-adapted`, and are refused in strict mode.",
    "what its place takes"
  ),
  guardrail: optionalField(
    Schema.Struct({ id: Text, version: Schema.optional(Text) }),
    "Bedrock only: `{ id, version }` of a guardrail, which every request names; `version` is `DRAFT` unless given. An answer that it blocks ends as a refusal.",
    "none"
  ),
  think_tags: optionalField(
    Schema.Union(Schema.Boolean, Schema.Literal("unopened")),
    "`openai-chat` only: its content begins with reasoning, as `<think>…</think>`; `unopened` if its chat template writes the opening tag, so that only `</think>` comes.",
    "`false`"
  ),
  threads: optionalField(
    Schema.Boolean,
    "`anthropic-messages` only: it stores message threads itself. It then gets only new messages, and callers see its ids ([threads](api.md#threads)).",
    "`false`"
  ),
  shared_ids: optionalField(
    Schema.NonEmptyArray(Text),
    "Patterns (`pmpt_*`, `file-handbook`) of stored files, containers, conversations and prompts that every account may use; others belong to [their account](api.md#what-an-upstream-keeps)."
  ),
  max_concurrency: optionalField(
    Count,
    "The most concurrent requests of all accounts together, which [share the places](limits.md#places-of-an-upstream). Others wait.",
    "no limit"
  ),
  queue_seconds: optionalField(
    Seconds,
    "The longest wait for a place. Then the next route is tried, or the answer is a 429.",
    "`60`"
  ),
  connect_seconds: optionalField(Seconds, "Until the connection is established.", "`10`"),
  first_byte_seconds: optionalField(Seconds, "Until the answer begins.", "`600`; videos `110`"),
  idle_seconds: optionalField(Seconds, "Between two pieces of an answer.", "`300`; videos `30`")
}).pipe(
  Schema.filter(({ base_url: baseUrl, protocol, provider }) => {
    if (provider !== undefined) return true
    if (protocol === undefined) return { path: ["protocol"], message: "is required, unless provider is given" }
    return baseUrl !== undefined || { path: ["base_url"], message: "is required, unless provider is given" }
  })
)
