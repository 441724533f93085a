import { Schema } from "effect"
import { given, needed } from "./given.ts"
import { BaseUrl, Count, Secret, Seconds, Text } from "./values.ts"

/** The protocols that an upstream can speak; what each is, `src/upstreams/protocols.ts` says. */
export const protocolNames = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "ark-video",
  "openai-videos"
] as const
export type ProtocolName = (typeof protocolNames)[number]

/** An entry of `upstreams`. */
export const Upstream = Schema.Struct({
  protocol: needed(Schema.Literal(...protocolNames), "What it speaks: the first three are for text."),
  base_url: needed(BaseUrl, "With the version, as that provider writes it, and without the endpoint."),
  api_key: given(Secret, "Sent with every request.", "no key"),
  provider: given(
    Text,
    "`openai-chat` only: whose ways the server has (`vllm`, `ollama`, `deepseek`, …).",
    "guessed from address or name"
  ),
  headers: given(
    Schema.Record({ key: Schema.String, value: Secret }),
    "Sent with every request beside the key, such as another way to give one."
  ),
  list_models: given(
    Schema.Boolean,
    "Serve all it lists under their own ids; models named in the file come first. While it can't be asked, or lists none, what it listed before stays, and it is asked again (after 1 s, 2 s, … 60 s).",
    "`false`"
  ),
  cache: given(
    Schema.Literal("auto"),
    "`anthropic-messages` only: `auto` marks every prompt that is translated for it, the first question included.",
    "those of conversations that go on are marked"
  ),
  think_tags: given(
    Schema.Boolean,
    "`openai-chat` only: it writes its reasoning into the content, as `<think>…</think>` in front of the answer.",
    "`false`"
  ),
  threads: given(
    Schema.Boolean,
    "`anthropic-messages` only: it remembers message threads itself. It is then told what is new alone, and its ids are the callers' ([threads](api.md#threads)).",
    "`false`"
  ),
  shared_ids: given(
    Schema.NonEmptyArray(Text),
    "Patterns (`pmpt_*`, `file-handbook`) of what it keeps (files, containers, conversations, prompts) that every account may name; all else is [its account's](api.md#what-an-upstream-keeps)."
  ),
  max_concurrency: given(
    Count,
    "Requests at a time, of all accounts, which [share the places](limits.md#places-of-an-upstream). The others wait.",
    "no bound"
  ),
  queue_seconds: given(
    Seconds,
    "The longest wait for that. Then the next route is tried, or the answer is a 429.",
    "`60`"
  ),
  connect_seconds: given(Seconds, "Until the connection is established.", "`10`"),
  first_byte_seconds: given(Seconds, "Until the answer begins.", "`600`; videos `110`"),
  idle_seconds: given(Seconds, "Between two pieces of an answer.", "`300`; videos `30`")
})
