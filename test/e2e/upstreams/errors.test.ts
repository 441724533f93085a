import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { families } from "./callers.ts"
import { protocols, upstreamKey } from "./world.ts"
import { request } from "../../request.ts"

/** A secret that must never reach a caller. */
const canary = "canary-7f3a"
/** An upstream's opinion that is full of what is not for callers. */
const words = (about: string) =>
  `${about} (key ${upstreamKey}, another sk-${canary}, Bearer ${canary}, at https://${canary}.example:8443/v1/x, 10.9.8.7)`

interface Fault {
  readonly answer: (stream: boolean) => Response
  readonly status: number
  /** How often an upstream is asked before it is given up. */
  readonly tries: number
  /** True if the next route is tried. */
  readonly movesOn: boolean
  /** The part of the upstream's message that the caller sees. */
  readonly says?: string
}

const error = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ type: "error", error: { type: "some_error", code: "some_code", message } }, { status, headers })
const events = (...frames: ReadonlyArray<string>) =>
  new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
const html = (status: number) =>
  new Response(`<html><body>${words("Bad gateway")}</body></html>`, {
    status,
    headers: { "content-type": "text/html" }
  })

const ours = { status: 500, tries: 1, movesOn: true }
const passing = { status: 500, tries: 3, movesOn: true }
/** The request is to blame. */
const refusing = { status: 400, tries: 1, movesOn: false }

const faults: Readonly<Record<string, Fault>> = {
  "a key it doesn't take": { ...ours, answer: () => error(401, words("Incorrect API key")) },
  "a key that may not": { ...ours, answer: () => error(403, words("No access")) },
  "an account without money": { ...ours, answer: () => error(402, words("Pay")) },
  "an account without money, told as 400": {
    ...ours,
    answer: () => {
      const message =
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
      return Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status: 400 })
    }
  },
  "an account without money, told by a code": {
    ...ours,
    answer: () => Response.json({ error: { code: "insufficient_quota", message: "Check your plan" } }, { status: 429 })
  },
  "an unknown model": { ...ours, status: 400, says: "no such model", answer: () => error(404, "no such model") },
  "a page instead of its API": { ...ours, answer: () => html(404) },
  "a redirect": {
    ...ours,
    answer: () => new Response(null, { status: 302, headers: { location: `http://${canary}.example` } })
  },
  "input that it refuses": {
    ...refusing,
    says: "too many images",
    answer: () => error(400, words("too many images"))
  },
  "input that a moderation refuses": {
    ...refusing,
    // Its filter is not another's.
    movesOn: true,
    says: "flagged for violence",
    answer: () =>
      Response.json(
        { error: { code: 403, message: words("flagged for violence"), metadata: { reasons: ["violence"] } } },
        { status: 403 }
      )
  },
  "input that conflicts": { ...refusing, says: "already in use", answer: () => error(409, words("already in use")) },
  "words about its account that are the caller's own": {
    ...refusing,
    says: "insufficient_quota",
    answer: () => error(400, "Unknown parameter: 'insufficient_quota'. Your credit balance is too low, is it not?")
  },
  "input that is too large for it": { ...refusing, says: "too long", answer: () => error(413, "too long") },
  "a queue that is full for long": {
    ...ours,
    status: 429,
    answer: () => error(429, words("slow down"), { "retry-after": "17" })
  },
  "a queue that is full for a moment": {
    ...passing,
    status: 429,
    answer: () => error(429, words("slow down"), { "retry-after-ms": "5" })
  },
  "an error of its own": { ...passing, answer: () => error(500, words("panic")) },
  "an error page": { ...passing, answer: () => html(502) },
  overload: { ...passing, answer: () => error(529, words("Overloaded")) },
  "an empty error": { ...passing, answer: () => new Response(null, { status: 503 }) },
  "malformed JSON": {
    ...passing,
    answer: (stream) =>
      stream ? events(`data: {"id": ${canary}\n\n`) : new Response(`{"id": ${canary}`, { headers: json })
  },
  "a page with status 200": { ...passing, answer: () => html(200) },
  "an empty answer": {
    ...passing,
    answer: (stream) => (stream ? events() : new Response("", { headers: json }))
  },
  "an error in a stream that has just begun": {
    ...passing,
    answer: () => {
      const data = { type: "error", error: { type: "api_error", code: "boom", message: words("panic") } }
      return events(`event: error\ndata: ${JSON.stringify(data)}\n\n`)
    }
  },
  "a refusal in a stream that has just begun": {
    ...refusing,
    says: "too many images",
    answer: () => {
      const data = {
        type: "error",
        error: { type: "invalid_request_error", code: "invalid_prompt", message: words("too many images") }
      }
      return events(`event: error\ndata: ${JSON.stringify(data)}\n\n`)
    }
  }
}
const json = { "content-type": "application/json" }
const slug = (name: string) => name.replaceAll(/[^a-z0-9]+/g, "-")

let gateway: GatewayHere
/** Requests by path, of all upstreams. */
const asked: Array<Asked> = []
const fakes = Object.fromEntries(
  protocols.map((protocol) => [
    protocol,
    fakeUpstream(protocol, {
      answer: (one) => {
        asked.push(one)
        const name = Object.keys(faults).find((fault) => one.path.startsWith(`/${slug(fault)}/`))
        return name === undefined ? undefined : faults[name]!.answer(one.body.stream)
      }
    })
  ])
) as Record<DialectName, ReturnType<typeof fakeUpstream>>

/** Closes what connects to it: at once, or behind the head of an answer. */
const breaking = (head: string) =>
  Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        if (head !== "") socket.write(head)
        socket.end()
      }
    }
  })
const cut = {
  "before the head": breaking(""),
  "behind the head": breaking(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:"
  ),
  "inside a whole answer": breaking(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"id":'
  )
}

beforeAll(async () => {
  // An upstream for each fault, so that the circuit of one does not open for another.
  const upstreams: Record<string, object> = {}
  const models: Record<string, object> = {}
  const add = (protocol: DialectName, name: string, url: string) => {
    const id = `${protocol}-${slug(name)}`
    for (const family of families) {
      for (const kind of ["sync", "stream"]) {
        for (const model of [`${id}-${family}-${kind}`, `${id}-${family}-${kind}-else`]) {
          upstreams[model] = { protocol, base_url: `${url}/v1`, api_key: "${UPSTREAM_KEY}" }
          const routes = [{ upstream: model, model }]
          models[model] = { routes: model.endsWith("-else") ? [...routes, { upstream: "good", model: "m-1" }] : routes }
        }
      }
    }
  }
  upstreams["good"] = { protocol: "openai-chat", base_url: `${fakes["openai-chat"].url}/v1` }
  for (const protocol of protocols) {
    for (const name of Object.keys(faults)) add(protocol, name, `${fakes[protocol].url}/${slug(name)}`)
    for (const [name, { port }] of Object.entries(cut)) add(protocol, name, `http://127.0.0.1:${port}`)
  }
  const folder = mkdtempSync(join(tmpdir(), "gateway-errors-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder, env: { UPSTREAM_KEY: upstreamKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(Object.values(fakes).map((fake) => fake.stop()))
  for (const server of Object.values(cut)) server.stop(true)
})

type Family = (typeof families)[number]

const send = async (family: Family, model: string, stream: boolean) => {
  const messages = [{ role: "user", content: "play:text" }]
  const [path, body] = {
    messages: ["messages", { model, max_tokens: 100, stream, messages }],
    responses: ["responses", { model, stream, input: "play:text" }],
    chat: ["chat/completions", { model, stream, messages }]
  }[family] as [string, object]
  const response = await request(gateway, `/v1/${path}`, { body, headers: json })
  return { response, text: await response.text() }
}

/** How each family says a status. */
const shapes = {
  messages: { 400: "invalid_request_error", 429: "rate_limit_error", 500: "internal_server_error" },
  responses: { 400: "invalid_params", 429: "rate_limit_exceeded", 500: "server_error" },
  chat: { 400: "invalid_params", 429: "rate_limit_exceeded", 500: "server_error" }
} as const

const expectFailure = (family: Family, status: number, { response, text }: Awaited<ReturnType<typeof send>>) => {
  expect(response.status).toBe(status)
  const said = shapes[family][status as 400 | 429 | 500]
  const body = JSON.parse(text)
  expect(body).toMatchObject(
    family === "messages"
      ? { type: "error", error: { type: said, message: expect.any(String) }, request_id: expect.any(String) }
      : { error: { code: said, message: expect.any(String), param: null, type: expect.any(String) } }
  )
  for (const secret of [canary, upstreamKey, "127.0.0.1", "10.9.8.7", "https://", "http://"])
    expect(text).not.toContain(secret)
  return body.error.message as string
}

for (const family of families) {
  for (const protocol of protocols) {
    for (const stream of [false, true]) {
      describe(`${family} to ${protocol}, ${stream ? "streamed" : "whole"}`, () => {
        const modelOf = (name: string) => `${protocol}-${slug(name)}-${family}-${stream ? "stream" : "sync"}`
        const answers = new Map<string, ReturnType<typeof send>>()
        // All at once: most of the time goes by between tries.
        beforeAll(() => {
          for (const name of [...Object.keys(faults), ...Object.keys(cut)]) {
            for (const model of [modelOf(name), `${modelOf(name)}-else`])
              answers.set(model, send(family, model, stream))
          }
        })
        const alone = (name: string) => answers.get(modelOf(name))!
        const withAnother = (name: string) => answers.get(`${modelOf(name)}-else`)!

        it.each(Object.entries(faults))("%s", async (name, { status, tries, movesOn, says }) => {
          const failure = await alone(name)
          const message = expectFailure(family, status, failure)
          if (says !== undefined) expect(message).toContain(says)
          if (name.includes("for long")) expect(failure.response.headers.get("retry-after")).toBe("17")
          expect(asked.filter(({ body }) => body.model === modelOf(name))).toHaveLength(tries)
          const moved = await withAnother(name)
          if (movesOn)
            expect([moved.response.status, moved.response.headers.get("x-gateway-upstream")]).toEqual([200, "good"])
          else expectFailure(family, status, moved)
        })

        it.each(Object.keys(cut))("a connection cut %s", async (name) => {
          expectFailure(family, 500, await alone(name))
          const moved = await withAnother(name)
          // A head alone is no answer.
          expect([moved.response.status, moved.response.headers.get("x-gateway-upstream")]).toEqual([200, "good"])
        })
      })
    }
  }
}
