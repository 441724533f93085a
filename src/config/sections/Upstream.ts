import { Schema } from "effect"
import { given, needed } from "./given.ts"
import { AuthSetting } from "./Auth.ts"
import { PemFile } from "../SecretFiles.ts"
import { ProxySetting } from "./Proxy.ts"
import { UpstreamKey } from "./UpstreamKey.ts"
import { BaseUrl, Count, Secret, Seconds, Text } from "./values.ts"

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

const ClientTls = Schema.Struct({
  ca: Schema.optional(PemFile),
  cert: Schema.optional(PemFile),
  key: Schema.optional(PemFile)
}).pipe(
  Schema.filter(({ cert, key }) => (cert === undefined) === (key === undefined) || "expected cert and key together")
)

/** An entry of `upstreams`. */
export const Upstream = Schema.Struct({
  protocol: needed(
    Schema.Literal(...protocolNames),
    "The upstream's protocol. `veo`, and those with `video` in their names, are for videos."
  ),
  base_url: needed(BaseUrl, "The base URL in the provider's own form: with the version, without the endpoint."),
  api_key: given(Secret, "Sent with every request.", "no key"),
  keys: given(
    Schema.Array(UpstreamKey).pipe(
      Schema.filter((keys) => keys.length > 0 || "expected one key or more", {
        message: () => "expected a list of keys"
      })
    ),
    'In place of `api_key`: several keys, `["${A}", { key: "${B}", weight: 2 }]`, that share the conversations ([several keys](#several-keys)).',
    "`api_key` alone"
  ),
  auth: given(
    AuthSetting,
    "How it knows who calls: `key`, or by credentials of a cloud, `aws`, `google` or `azure`, or [their fields](#cloud-credentials), with `kind`.",
    "`key`"
  ),
  region: given(Text, "With `auth: aws`: the region that signatures name.", "from the address, otherwise `AWS_REGION`"),
  provider: given(
    Text,
    "`openai-chat`: the server software or provider (`vllm`, `ollama`, `deepseek`, …), whose deviations apply. `anthropic-messages`: `vertex`, for Claude behind `…/publishers/anthropic`; `bedrock`, for Claude at Bedrock's runtime.",
    "detected from address or name"
  ),
  headers: given(
    Schema.Record({ key: Schema.String, value: Secret }),
    "Headers for every request, such as another form of authentication."
  ),
  proxy: given(
    ProxySetting,
    "`http://<host>:<port>`, which its calls go by, or `off` ([proxies](#proxies)).",
    "the top level's"
  ),
  tls: given(
    ClientTls,
    "`{ ca, cert, key }`: PEM files, relative to `gateway.yaml`: the authority that signs its certificate, and the certificate and key that the gateway shows ([proxies](#proxies)).",
    "the usual authorities, no certificate"
  ),
  models: given(
    Schema.Record({ key: Schema.String, value: Text }),
    "`{ my-deployment: gpt-6.1 }`: the public id of the model behind a name there, for prices, limits and efforts. Requests keep the name.",
    "each name is its model's id"
  ),
  list_models: given(
    Schema.Boolean,
    "Serve all models that it lists, under their own ids; models of the file take precedence. If the list can't be read or is empty, the previous one stays, and the gateway retries (after 1 s, 2 s, … 60 s).",
    "`false`"
  ),
  cache: given(
    Schema.Literal("auto"),
    "`anthropic-messages` only: `auto` adds cache marks to every translated prompt, including first questions.",
    "continued conversations get cache marks"
  ),
  anthropic_beta: given(
    Schema.Union(
      Schema.Struct({ allow: Schema.NonEmptyArray(Text) }),
      Schema.Struct({ drop: Schema.NonEmptyArray(Text) })
    ),
    "`anthropic-messages` only: `{ allow: [...] }` or `{ drop: [...] }`: the betas of callers' `anthropic-beta` headers that it gets. Dropped ones are named in `x-gateway-adapted`, and refused in strict mode.",
    "all"
  ),
  think_tags: given(
    Schema.Union(Schema.Boolean, Schema.Literal("unopened")),
    "`openai-chat` only: its content begins with reasoning, as `<think>…</think>`; `unopened` if its chat template writes the opening tag, so that only `</think>` comes.",
    "`false`"
  ),
  threads: given(
    Schema.Boolean,
    "`anthropic-messages` only: it stores message threads itself. It then gets only new messages, and callers see its ids ([threads](api.md#threads)).",
    "`false`"
  ),
  shared_ids: given(
    Schema.NonEmptyArray(Text),
    "Patterns (`pmpt_*`, `file-handbook`) of stored files, containers, conversations and prompts that every account may use; others belong to [their account](api.md#what-an-upstream-keeps)."
  ),
  max_concurrency: given(
    Count,
    "The most concurrent requests of all accounts together, which [share the places](limits.md#places-of-an-upstream). Others wait.",
    "no limit"
  ),
  queue_seconds: given(
    Seconds,
    "The longest wait for a place. Then the next route is tried, or the answer is a 429.",
    "`60`"
  ),
  connect_seconds: given(Seconds, "Until the connection is established.", "`10`"),
  first_byte_seconds: given(Seconds, "Until the answer begins.", "`600`; videos `110`"),
  idle_seconds: given(Seconds, "Between two pieces of an answer.", "`300`; videos `30`")
})
