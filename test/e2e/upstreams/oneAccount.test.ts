import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

/** The words by which providers tell that an account is empty: upstreams repeat a caller's field names. */
const echoed = ["insufficient_quota", "billing_hard_limit", "insufficient balance", "credit balance is too low"]
const refuse = (status: number, error: object | string, headers: Record<string, string> = {}) =>
  typeof error === "string"
    ? new Response(error, { status, headers: { "content-type": "text/html", ...headers } })
    : Response.json({ type: "error", error: { type: "invalid_request_error", ...error } }, { status, headers })
const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }))
const soon = { "retry-after": "60" }

/** Failures caused by one request's body. `silence` waits for the time-out, so it is tested once. */
const faults: Readonly<Record<string, (sent: string) => Response | Promise<Response>>> = {
  unknown: (sent) => refuse(400, { message: `Unknown parameter: '${/"x_([^"]*)"/.exec(sent)?.[1]}'`, param: null }),
  moderated: () => refuse(403, { message: "flagged", code: 403, metadata: { reasons: ["violence"] } }),
  forbidden: () => refuse(403, { message: "This prompt is not allowed" }, soon),
  firewall: () => refuse(403, "<h1>Blocked</h1>"),
  conflict: () => refuse(409, { message: "Another request is using this conversation" }, soon),
  lost: () => refuse(404, { message: "No such file" }),
  nowhere: () => refuse(404, "<h1>Not found</h1>", soon),
  slow: () => refuse(408, { message: "The request took too long" }, soon),
  large: () => refuse(413, { message: "Too large" }),
  invalid: () => refuse(422, { message: "messages: invalid" }),
  tools: () => refuse(424, { message: "Server 'x' can't be reached", type: "external_connector_error" }),
  early: () => refuse(425, {}, soon),
  crash: () => refuse(500, { message: "panic", type: "server_error" }),
  crashed: () => refuse(500, { message: "panic", type: "server_error" }, soon),
  unavailable: () => refuse(503, { message: "worker gone", type: "server_error" }, soon),
  silence: () => new Promise(() => {}),
  cut: broken,
  empty: () => new Response("", { headers: { "content-type": "application/json" } }),
  inside: () => Response.json({ error: { code: 500, type: "server_error", message: "panic" } }),
  halfway: () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from("data: {}\n\n")),
        pull: (controller) => controller.error(new Error("gone"))
      }),
      { headers: { "content-type": "text/event-stream" } }
    )
}

/** Calls by model that an upstream received and never answers. */
const hanging = new Map<string, number>()
const hang = (text: string) => {
  const model = /hang:([\w-]+)/.exec(text)?.[1] ?? ""
  hanging.set(model, (hanging.get(model) ?? 0) + 1)
  return new Promise<Response>(() => {})
}
const faultIn = (text: string) => (text.includes("hang:") ? hang : faults[/fault:(\w+)/.exec(text)?.[1] ?? ""])
const vectors = { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [0.5] }] }
const answer = ({ path, text }: Pick<Asked, "path" | "text">) =>
  faultIn(text)?.(text) ?? (path.endsWith("/embeddings") ? Response.json(vectors) : undefined)
const fakes = {
  "openai-chat": fakeUpstream("openai-chat", { answer }),
  "openai-responses": fakeUpstream("openai-responses", { answer }),
  "anthropic-messages": fakeUpstream("anthropic-messages", { answer })
}
const video = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const text = await request.text()
    if (request.method === "POST") return (await faultIn(text)?.(text)) ?? Response.json({ id: crypto.randomUUID() })
    const id = new URL(request.url).pathname.split("/tasks/")[1]
    return Response.json(id === undefined ? { total: 0, items: [] } : { id, status: "queued" })
  }
})
const refusing = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => refuse(400, { message: "this one takes nothing" })
})

type Protocol = DialectName | "ark-video"
interface Way {
  readonly protocol: Protocol
  readonly path: string
  readonly body: (text: string) => object
}
const messages = (text: string) => [{ role: "user", content: text }]
const chat = (stream: boolean) => ({
  path: "/v1/chat/completions",
  body: (text: string) => ({ stream, messages: messages(text) })
})
const responses = (stream: boolean) => ({ path: "/v1/responses", body: (input: string) => ({ stream, input }) })
const anthropic = (stream: boolean) => ({
  path: "/v1/messages",
  body: (text: string) => ({ stream, max_tokens: 10, messages: messages(text) })
})
const kinds = ["whole", "streamed"] as const
const families = { chat, responses, messages: anthropic }
/** Passed through, and translated to each protocol once. */
const pairs = [
  ["chat", "openai-chat"],
  ["chat", "anthropic-messages"],
  ["responses", "openai-responses"],
  ["responses", "openai-chat"],
  ["messages", "anthropic-messages"],
  ["messages", "openai-responses"]
] as const
const ways: Readonly<Record<string, Way>> = {
  ...Object.fromEntries(
    pairs.flatMap(([family, protocol]) =>
      kinds.map((kind) => [`${family} to ${protocol}, ${kind}`, { protocol, ...families[family](kind === "streamed") }])
    )
  ),
  embeddings: { protocol: "openai-chat", path: "/v1/embeddings", body: (input) => ({ input }) },
  videos: {
    protocol: "ark-video",
    path: "/api/v3/contents/generations/tasks",
    body: (text) => ({ content: [{ type: "text", text }] })
  }
}

/** Sequences of each way. Each has two models with upstreams of their own: one route, and a second that takes nothing. */
const runs = 2
/** Each way also has an upstream for calls that hang. Videos have 64 places. */
const places = 4
const hangingId = (name: string) => `${name.replaceAll(/\W+/g, "-")}-hanging`
const keys = { one: "one-secret-0123456789abcdef", other: "other-secret-0123456789abcdef" }
/** Of an account for each way: a key may leave few requests a minute. */
const hangingSecret = (name: string) => `${hangingId(name)}-0123456789abcdef`

vi.setConfig({ maxConcurrency: 20 })

let gateway: GatewayHere
beforeAll(async () => {
  const upstreams: Record<string, object> = {}
  const models: Record<string, object> = {}
  for (const [name, { path, protocol }] of Object.entries(ways)) {
    const at = protocol === "ark-video" ? `http://127.0.0.1:${video.port}/api/v3` : `${fakes[protocol].url}/v1`
    const kind = protocol === "ark-video" ? {} : { kind: path.endsWith("/embeddings") ? "embedding" : "text" }
    const bounds = protocol === "ark-video" ? {} : { max_concurrency: places, queue_seconds: 20 }
    upstreams[hangingId(name)] = { protocol, base_url: at, ...bounds }
    models[hangingId(name)] = { routes: [{ upstream: hangingId(name), model: "m" }], ...kind }
    upstreams[`none-${protocol}`] = { protocol, base_url: `http://127.0.0.1:${refusing.port}/v1` }
    for (let run = 0; run < runs * 2; run++) {
      const id = `${name.replaceAll(/\W+/g, "-")}-${run}`
      upstreams[id] = { protocol, base_url: at, first_byte_seconds: name === silentWay ? 3 : 5 }
      const others = run % 2 === 0 ? [] : [{ upstream: `none-${protocol}`, model: "m" }]
      models[id] = { routes: [{ upstream: id, model: "m" }, ...others], ...kind }
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "gateway-one-account-"))
  const secrets = [...Object.entries(keys), ...Object.keys(ways).map((name) => [hangingId(name), hangingSecret(name)])]
  const declared = secrets.map(([name, secret]) => ({ name, account: name, secret }))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models, keys: declared }))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([...Object.values(fakes), video, refusing].map((server) => server.stop(true)))
})

const ask = async (
  way: Way,
  key: string,
  model: string,
  text: string,
  more: object = {},
  signal: AbortSignal | null = null
) => {
  const response = await fetch(gateway.url + way.path, {
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, ...way.body(text), ...more })
  })
  return { status: response.status, upstream: response.headers.get("x-gateway-upstream"), text: await response.text() }
}

const silentWay = "messages to openai-responses, streamed"
const wrongOn = (name: string) =>
  fc.record({
    fault: fc.constantFrom(...Object.keys(faults).filter((fault) => fault !== "silence" || name === silentWay)),
    field: fc.oneof(fc.constantFrom(...echoed), fc.string())
  })
type Wrong = ReturnType<typeof wrongOn> extends fc.Arbitrary<infer A> ? A : never

describe.concurrent("no request of one account changes what becomes of another's", () => {
  it.each(Object.entries(ways))(
    "%s",
    async (name, way) => {
      const isVideo = way.protocol === "ark-video"
      const holdsAt = async (model: string, requests: ReadonlyArray<Wrong>) => {
        const sent = requests.map(({ fault, field }) =>
          ask(way, keys.one, model, `play:text fault:${fault}`, { [`x_${field.replaceAll('"', "")}`]: 1 })
        )
        const during = await ask(way, keys.other, model, "play:text")
        await Promise.all(sent)
        for (const { status, upstream } of [during, await ask(way, keys.other, model, "play:text")]) {
          expect([status, upstream]).toEqual([200, isVideo ? null : model])
        }
        // A task that its upstream refuses is refused at once.
        if (isVideo) expect(await ask(way, keys.other, model, "fault:invalid")).toMatchObject({ status: 400 })
      }
      let run = 0
      const holds = async (requests: ReadonlyArray<Wrong>) => {
        const models = [run++, run++].map((n) => `${name.replaceAll(/\W+/g, "-")}-${n}`)
        await Promise.all(models.map((model) => holdsAt(model, requests)))
      }
      const usual = echoed.flatMap((field) =>
        Array.from({ length: 5 }, () => ({ fault: isVideo ? "cut" : "unknown", field }))
      )
      const sequence = fc.array(wrongOn(name), { minLength: 12, maxLength: 24 })
      await fc.assert(fc.asyncProperty(sequence, holds), { numRuns: runs, examples: [[usual]], endOnFailure: true })
    },
    60_000
  )
})

// Runs after the others: this process may have 256 `fetch` calls under way.
describe("no account's calls that hang take the places of another's", () => {
  it.concurrent.each(Object.entries(ways))(
    "%s",
    async (name, way) => {
      const isVideo = way.protocol === "ark-video"
      const model = hangingId(name)
      const right = async () => {
        const { status, upstream } = await ask(way, keys.other, model, "play:text")
        expect([status, upstream]).toEqual([200, isVideo ? null : model])
      }
      await right()
      const left = new AbortController()
      const sent = Array.from({ length: isVideo ? 80 : places + 1 }, () =>
        ask(way, hangingSecret(name), model, `play:text hang:${model}`, {}, left.signal).catch(() => undefined)
      )
      await vi.waitUntil(() => (hanging.get(model) ?? 0) >= (isVideo ? 56 : places - 1), 20_000)
      await right()
      await Promise.all(Array.from({ length: places }, right))
      if (isVideo) expect(await ask(way, keys.other, model, "fault:invalid")).toMatchObject({ status: 400 })
      left.abort()
      await Promise.all(sent)
    },
    60_000
  )
})
