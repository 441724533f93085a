import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Outcome } from "../../src/requests/outcome.ts"
import { outcomeOf, outcomes } from "../../src/requests/outcome.ts"
import { request } from "../request.ts"
import { fakeArk } from "../upstreams/fakes/ark.ts"
import { dialects, fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const never = new Promise<Response>(() => {})

/** A request's text says how it is to end. A whole answer comes after its client has left. */
const ending = (protocol: DialectName, { body, path, text }: Asked): Response | Promise<Response> | undefined => {
  if (text.includes("goes:hang_up") && body.stream === true) return never
  const isLate = text.includes("goes:hang_up")
  if (isLate && !path.endsWith("/embeddings")) {
    return Bun.sleep(1_000).then(() => Response.json(dialects[protocol].answer("text", "m", 0)))
  }
  if (text.includes("goes:failed")) return Response.json({ error: { message: "no such key" } }, { status: 401 })
  if (!path.endsWith("/embeddings")) return undefined
  const data = [{ object: "embedding", index: 0, embedding: [1] }]
  const answer = { object: "list", model: "m", data, usage: { prompt_tokens: 1, total_tokens: 1 } }
  return isLate ? Bun.sleep(1_000).then(() => Response.json(answer)) : Response.json(answer)
}

const fakes = (["anthropic-messages", "openai-responses", "openai-chat"] as const).map((protocol) => ({
  protocol,
  server: fakeUpstream(protocol, { answer: (asked) => ending(protocol, asked) })
}))
const ark = fakeArk()
/** Takes a task and never says so. */
const silent = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    held.push(await request.text())
    return never
  }
})
const held: Array<string> = []

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-outcomes-"))
  // The circuits of those that fail are their own.
  const text = fakes.flatMap(({ protocol, server }) =>
    ["", "-down"].map((suffix) => [protocol + suffix, { protocol, base_url: `${server.url}/v1` }] as const)
  )
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries([
        ...text,
        [
          "silent",
          { protocol: "openai-videos", base_url: `http://127.0.0.1:${silent.port}/v1`, api_key: "k-0123456789" }
        ],
        ["ark", { protocol: "ark-video", base_url: ark.baseUrl, api_key: "k-0123456789" }]
      ]),
      models: {
        ...Object.fromEntries(text.map(([name]) => [name, { routes: [{ upstream: name, model: "m" }] }])),
        vectors: { kind: "embedding", routes: [{ upstream: "openai-chat", model: "m" }] },
        "vectors-down": { kind: "embedding", routes: [{ upstream: "openai-chat-down", model: "m" }] },
        held: { routes: [{ upstream: "silent", model: "sora-2" }] },
        films: { routes: [{ upstream: "ark", model: "seedance" }] }
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([...fakes.map(({ server }) => server.stop()), ark.stop(), silent.stop(true)])
})

interface Way {
  readonly path: string
  readonly body: (text: string) => object
}

const textWays: Readonly<Record<string, Way>> = {
  messages: { path: "/v1/messages", body: (text) => ({ max_tokens: 10, messages: [{ role: "user", content: text }] }) },
  responses: { path: "/v1/responses", body: (text) => ({ input: text }) },
  chat: { path: "/v1/chat/completions", body: (text) => ({ messages: [{ role: "user", content: text }] }) }
}
const embeddings: Way = { path: "/v1/embeddings", body: (text) => ({ input: text }) }
const videos: Way = {
  path: "/api/v3/contents/generations/tasks",
  body: (text) => ({ content: [{ type: "text", text }] })
}

/** The body of a request that ends in this way. Only a stream can be cut. */
const asking = (way: Way, outcome: Outcome, model: string, stream: boolean, tag: string): object => ({
  ...way.body(`${tag} goes:${outcome} play:${outcome === "cut" ? "error-after" : "text"}`),
  model: outcome === "refused" ? "nobody" : outcome === "failed" ? `${model}-down` : model,
  ...(stream && { stream })
})

const callsWith = (text: string) =>
  fakes.flatMap(({ server }) => server.asked.filter((one) => one.text.includes(text))).length +
  held.filter((one) => one.includes(text)).length

const rowsWith = async (tag: string, outcome?: Outcome) => {
  const filter = outcome === undefined ? "" : `&outcome=${outcome}`
  const response = await request(gateway, `/v1/requests?tag=${tag}${filter}`)
  return ((await response.json()) as { readonly data: ReadonlyArray<object> }).data.length
}

let count = 0
/** Lets a request end in this way, and expects its row to say so, and nothing else. */
const ends = async (way: Way, outcome: Outcome, model: string, stream = false) => {
  const tag = `tag-${count++}.`
  const leaving = new AbortController()
  const answer = request(gateway, way.path, {
    body: asking(way, outcome, model, stream, tag),
    headers: { "x-gateway-tags": tag },
    signal: leaving.signal
  })
  if (outcome === "hang_up") {
    await expect.poll(() => callsWith(tag)).toBeGreaterThan(0)
    leaving.abort()
    await expect(answer).rejects.toThrow()
  } else await (await answer).text().catch(() => {})
  await expect.poll(() => rowsWith(tag)).toBe(1)
  const found = await Promise.all(outcomes.map(async (one) => [one, await rowsWith(tag, one)] as const))
  expect(found.filter(([, rows]) => rows > 0)).toEqual([[outcome, 1]])
}

describe.each(Object.entries(textWays))("%s, to upstreams of every protocol", (_, way) => {
  it.each(outcomes)("%s", async (outcome) => {
    const streamed = outcome === "cut" ? [true] : [false, true]
    await Promise.all(fakes.flatMap(({ protocol }) => streamed.map((stream) => ends(way, outcome, protocol, stream))))
  })
})

it.each(["finished", "refused", "failed", "hang_up"] as const)("embeddings: %s", (outcome) =>
  ends(embeddings, outcome, "vectors")
)

/** A task whose upstream fails is tried again, so the request that made it does not fail with it. */
it.each(["finished", "refused"] as const)("videos: %s", (outcome) => ends(videos, outcome, "films"))

it("videos: hang_up, where the upstream says at once that it takes the task", () => ends(videos, "hang_up", "held"))

it("every row has exactly one outcome (property)", () => {
  const status = fc.constantFrom(0, 200, 201, 204, 400, 404, 429, 499, 500, 503)
  const error = fc.constantFrom(null, "", "hang_up", "rate_limited", "upstream_failed", "invalid_request")
  fc.assert(
    fc.property(status, error, (status, error) => {
      const outcome = outcomeOf({ status, error })
      expect(outcomes).toContain(outcome)
      const isLeft = status === 499 || error === "hang_up"
      expect(outcome === "hang_up").toBe(isLeft)
      expect(outcome === "finished").toBe(!isLeft && status < 400 && (error ?? "") === "")
    })
  )
})
