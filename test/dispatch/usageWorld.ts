import { Effect, Layer, Logger, Redacted } from "effect"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { layer } from "../../src/sql/Database.ts"
import { protocols as allProtocols } from "../../src/upstreams/protocols.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation as bare, said } from "../generation/conversations.ts"
import { readsNothing } from "../upstreams/noFiles.ts"

export const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key_1")

export const price = fromUsd({
  input: 3,
  cached_input: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
  output: 15,
  per_search: 0.01
})

export const maxOutputTokens = 200

export const object = (fields: Readonly<Record<string, string | undefined>>) =>
  `{${Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]))
    .join(",")}}`

const text = "One two three four."

const sse = (frames: ReadonlyArray<readonly [string, string]>) =>
  new Response(frames.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" }
  })

const json = (body: string) => new Response(body, { headers: { "content-type": "application/json" } })

/** What the upstream answers; `usage` and `atStart` are JSON texts. */
interface Script {
  readonly usage: string | undefined
  readonly atStart: string | undefined
}

const answers: Record<TextProtocol, (script: Script, stream: boolean) => Response> = {
  "openai-chat": ({ usage }, stream) => {
    const choice = (more: string) => `[{"index":0,${more}}]`
    return stream
      ? sse([
          ["message", object({ choices: choice(`"delta":{"content":"${text}"}`) })],
          ["message", object({ choices: choice('"delta":{},"finish_reason":"stop"'), usage })],
          ["message", "[DONE]"]
        ])
      : json(object({ choices: choice(`"message":{"content":"${text}"},"finish_reason":"stop"`), usage }))
  },
  "anthropic-messages": ({ atStart, usage }, stream) => {
    const message = { id: '"msg_1"', type: '"message"', role: '"assistant"', model: '"m"' }
    return stream
      ? sse([
          [
            "message_start",
            object({ type: '"message_start"', message: object({ ...message, content: "[]", usage: atStart }) })
          ],
          ["content_block_start", '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'],
          [
            "content_block_delta",
            `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}`
          ],
          ["content_block_stop", '{"type":"content_block_stop","index":0}'],
          [
            "message_delta",
            object({ type: '"message_delta"', delta: '{"stop_reason":"end_turn","stop_sequence":null}', usage })
          ],
          ["message_stop", '{"type":"message_stop"}']
        ])
      : json(object({ ...message, content: `[{"type":"text","text":"${text}"}]`, stop_reason: '"end_turn"', usage }))
  },
  "openai-responses": ({ usage }, stream) => {
    const item = `{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"${text}","annotations":[]}]}`
    const response = object({ id: '"resp_1"', object: '"response"', status: '"completed"', output: `[${item}]`, usage })
    return stream
      ? sse([
          [
            "response.created",
            '{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null}}'
          ],
          ["response.output_text.delta", `{"type":"response.output_text.delta","output_index":0,"delta":"${text}"}`],
          ["response.completed", object({ type: '"response.completed"', response })]
        ])
      : json(response)
  }
}

const protocols = ["openai-chat", "anthropic-messages", "openai-responses"] as const
type TextProtocol = (typeof protocols)[number]

/** Answers as the last script says, in the protocol of its path. */
const makeUpstream = Effect.acquireRelease(
  Effect.sync(() => {
    let script: Script = { usage: undefined, atStart: undefined }
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const protocol = protocols.find((one) => new URL(request.url).pathname.startsWith(`/${one}/`))
        const asked: unknown = await request.json()
        const isStream = typeof asked === "object" && asked !== null && "stream" in asked && asked.stream === true
        return protocol === undefined ? new Response("", { status: 404 }) : answers[protocol](script, isStream)
      }
    })
    return { url: `http://127.0.0.1:${server.port}`, play: (next: Script) => void (script = next), server }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

export const conversation = (model: string) =>
  bare({ model, items: [said("user", "Count to four, please.")], maxOutputTokens })

/** What an answer told its client, whichever way it went. */
interface NoticeListener {
  usage: Usage | undefined
  native: string
}

const families = {
  "openai-chat": "chat",
  "anthropic-messages": "messages",
  "openai-responses": "responses"
} as const

export const request = (protocol: TextProtocol, stream: boolean, isNative: boolean) =>
  Effect.gen(function* () {
    const models = yield* Dispatch
    const verbatim = {
      family: families[protocol],
      request: () => ({
        body: {
          model: protocol,
          max_tokens: maxOutputTokens,
          messages: [],
          input: "Count to four, please.",
          stream_options: { include_usage: true }
        },
        headers: new Headers(),
        rewrite: (answer: Readonly<Record<string, unknown>>) => ({ ...answer, model: protocol })
      })
    }
    const generation = yield* toEffect(() =>
      models.generate(caller, conversation(protocol), incoming(), {
        stream,
        ...(isNative && { passthrough: verbatim })
      })
    )
    return yield* Effect.promise(async () => {
      const heard: NoticeListener = { usage: undefined, native: "" }
      for (;;) {
        const batch = await generation.next()
        if (batch === undefined) return heard
        for (const event of batch) {
          if (event.type === "usage") heard.usage = event.usage
          if (event.type === "passthrough")
            heard.native += event.terminal ? event.text : new TextDecoder().decode(event.bytes)
        }
        await generation.settled?.()
      }
    })
  })

export const world = Effect.gen(function* () {
  const { play, url } = yield* makeUpstream
  const upstreams = protocols.map((protocol) =>
    allProtocols[protocol].upstream({
      name: protocol,
      baseUrl: `${url}/${protocol}`,
      apiKey: Redacted.make("sk-test"),
      headers: {},
      deadlines: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
      ...readsNothing
    })
  )
  const catalogue = protocols.map((id) => ({
    id,
    kind: "text" as const,
    routes: [{ upstream: id, model: "m" }],
    contextTokens: undefined,
    ownedBy: "test",
    price
  }))
  const live = Layer.merge(Dispatch.Default, Grants.Default).pipe(
    Layer.provideMerge(Layer.merge(Ledger.Default, Limits.Default)),
    Layer.provideMerge(layer({ url: "sqlite::memory:", exclusive: true })),
    Layer.provide(
      Layer.mergeAll(
        // A line for each usage that can't be.
        Logger.remove(Logger.defaultLogger),
        Layer.succeed(Catalogue, new Map(catalogue.map((model) => [model.id, servedModel(model)]))),
        Layer.succeed(TextUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))
      )
    )
  )
  return { play, live }
})

export const cases = protocols.flatMap((protocol) =>
  [false, true].flatMap((stream) => [false, true].map((isNative) => ({ protocol, stream, isNative })))
)
