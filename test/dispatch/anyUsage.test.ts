import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Logger, Redacted } from "effect"
import { AccountId, Caller } from "../../src/contract/Caller.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd, mostOf, nanoUsd } from "../../src/ledger/Price.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { layer } from "../../src/sql/Database.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { protocols as allProtocols } from "../../src/upstreams/protocols.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation as bare, said } from "../generation/conversations.ts"

const team = AccountId.make("team")
const caller = Caller.unrestricted(team, "key_1")
const price = fromUsd({
  input: 3,
  cached_input: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
  output: 15,
  per_search: 0.01
})
const maxOutputTokens = 200

/** JSON texts of what might stand where a count belongs; `1e999` is read as infinity. */
const anyCount: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }).map(String) },
  fc.constantFrom(
    undefined,
    "null",
    "true",
    "{}",
    "[]",
    '"12"',
    '"-5"',
    '""',
    "-0",
    "-1",
    "-5000",
    "0.5",
    "1.5",
    "1e300",
    "-1e300"
  ),
  fc.constantFrom(
    "1e999",
    "-1e999",
    "5e-324",
    "9e15",
    "9007199254740991",
    "9007199254740992",
    "18446744073709551616",
    "250000"
  ),
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
)

const object = (fields: Readonly<Record<string, string | undefined>>) =>
  `{${Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]))
    .join(",")}}`

const counts = fc.record({
  input: anyCount,
  output: anyCount,
  cached: anyCount,
  written: anyCount,
  forAnHour: anyCount,
  reasoning: anyCount,
  total: anyCount,
  searches: anyCount
})
type Counts = typeof counts extends fc.Arbitrary<infer A> ? A : never
const anyUsage = (of: (told: Counts) => string) =>
  fc.oneof(
    { weight: 12, arbitrary: counts.map(of) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "null", "{}", "[]", '"free"', "-5", "1e300") }
  )

const chatUsage = (told: Counts) =>
  object({
    prompt_tokens: told.input,
    completion_tokens: told.output,
    total_tokens: told.total,
    prompt_tokens_details: object({ cached_tokens: told.cached }),
    completion_tokens_details: object({ reasoning_tokens: told.reasoning })
  })
const messagesUsage = (told: Counts) =>
  object({
    input_tokens: told.input,
    output_tokens: told.output,
    cache_read_input_tokens: told.cached,
    cache_creation_input_tokens: told.written,
    cache_creation: object({ ephemeral_1h_input_tokens: told.forAnHour }),
    server_tool_use: object({ web_search_requests: told.searches })
  })
const responsesUsage = (told: Counts) =>
  object({
    input_tokens: told.input,
    output_tokens: told.output,
    total_tokens: told.total,
    input_tokens_details: object({ cached_tokens: told.cached }),
    output_tokens_details: object({ reasoning_tokens: told.reasoning })
  })

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

const conversation = (model: string) =>
  bare({ model, items: [said("user", "Count to four, please.")], maxOutputTokens })

const held = mostOf(price, { inputTokens: countTokens(conversation("m")), outputTokens: maxOutputTokens, searches: 0 })

interface Row {
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cache_write_1h_tokens: number
  readonly output_tokens: number
  readonly estimated: number
  readonly cost_nano_usd: number
  readonly kinds: string
}

/** What an answer told its client, whichever way it went. */
interface Heard {
  usage: Usage | undefined
  native: string
}

const families = {
  "openai-chat": "chat",
  "anthropic-messages": "messages",
  "openai-responses": "responses"
} as const

const request = (protocol: TextProtocol, stream: boolean, isNative: boolean) =>
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
      const heard: Heard = { usage: undefined, native: "" }
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

/** The last usage that a passed-through answer tells. */
const toldIn = (native: string): { readonly input: number; readonly output: number } => {
  const objects = native.includes("data: ")
    ? native.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []))
    : [JSON.parse(native)]
  const usages = objects.flatMap((one) => one.usage ?? one.response?.usage ?? [])
  const last = usages.at(-1) ?? {}
  const sum = (...names: ReadonlyArray<string>) => names.reduce((all, name) => all + (last[name] ?? 0), 0)
  return {
    input: sum("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_tokens"),
    // Some count reasoning in the total alone.
    output: Math.max(
      sum("output_tokens", "completion_tokens"),
      sum("total_tokens") - (last["prompt_tokens"] ?? Infinity)
    )
  }
}

const granted = nanoUsd(1_000)

const world = Effect.gen(function* () {
  const { play, url } = yield* makeUpstream
  const upstreams = protocols.map((protocol) =>
    allProtocols[protocol].upstream({
      name: protocol,
      baseUrl: `${url}/${protocol}`,
      apiKey: Redacted.make("sk-test"),
      headers: {},
      deadlines: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
      readDocument: () => Effect.dieMessage("no document is read here")
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
        Layer.succeed(Catalogue, new Map(catalogue.map((model) => [model.id, model]))),
        Layer.succeed(TextUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))
      )
    )
  )
  return { play, live }
})

const scripts = {
  "openai-chat": anyUsage(chatUsage),
  "anthropic-messages": anyUsage(messagesUsage),
  "openai-responses": anyUsage(responsesUsage)
}

const cases = protocols.flatMap((protocol) =>
  [false, true].flatMap((stream) => [false, true].map((isNative) => ({ protocol, stream, isNative })))
)

describe("whatever usage an upstream tells", () => {
  for (const { isNative, protocol, stream } of cases) {
    const how = `${protocol}, ${stream ? "streamed" : "whole"}${isNative ? ", passed through" : ""}`
    it.scopedLive(`the books are exact, nobody is credited, and what is charged is what is told (${how})`, () =>
      Effect.gen(function* () {
        const { live, play } = yield* world
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const ledger = yield* Ledger
          yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
          yield* Effect.flatMap(Grants, (grants) => grants.credit(team, granted, "test"))
          let settled = 0
          const scripted = fc.sample(fc.record({ usage: scripts[protocol], atStart: scripts[protocol] }), {
            numRuns: 60,
            seed: 12
          })
          for (const script of scripted) {
            play(script)
            const heard = yield* request(protocol, stream, isNative)
            yield* ledger.flush
            const balance = yield* ledger.balance(team)
            const [row] = yield* sql<Row>`SELECT *, typeof(input_tokens) || typeof(cache_read_tokens)
              || typeof(cache_write_tokens) || typeof(cache_write_1h_tokens) || typeof(output_tokens) || typeof(cost_nano_usd) AS kinds
              FROM usage ORDER BY id DESC LIMIT 1`
            const [stored] = yield* sql<{ settled: number; costs: number }>`SELECT settled_nano_usd AS settled,
              (SELECT SUM(cost_nano_usd) FROM usage) AS costs FROM accounts`
            const seen = JSON.stringify({ script, heard, row })
            if (row === undefined) throw new Error(`no row: ${seen}`)
            expect(row.kinds, seen).toBe("integer".repeat(6))
            expect(balance, seen).toEqual({ granted, settled: settled + row.cost_nano_usd, held: 0 })
            expect(stored, seen).toEqual({ settled: balance.settled, costs: balance.settled })
            expect(row.cost_nano_usd, seen).toBeGreaterThanOrEqual(0)
            expect(row.cost_nano_usd, seen).toBeLessThanOrEqual(10 * held)
            expect(row.cache_write_1h_tokens, seen).toBeLessThanOrEqual(row.cache_write_tokens)
            expect(row.cache_write_1h_tokens, seen).toBeGreaterThanOrEqual(0)
            const input = row.input_tokens + row.cache_read_tokens + row.cache_write_tokens
            const told = isNative
              ? toldIn(heard.native)
              : { input: total(heard.usage), output: heard.usage?.outputTokens }
            expect(told, seen).toEqual({ input, output: row.output_tokens })
            settled = balance.settled
          }
        }).pipe(Effect.provide(live))
      })
    )
  }
})

const total = (usage: Usage | undefined) =>
  usage === undefined ? undefined : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
