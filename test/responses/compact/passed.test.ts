import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { testKey } from "../../e2e/process.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { request } from "../../request.ts"

const compactPath = "/v1/responses/compact"
const compaction = { id: "cmp_theirs", type: "compaction", encrypted_content: "opaque", tomorrows: 1 }
const theirs = () =>
  Response.json({
    id: "resp_theirs",
    object: "response.compaction",
    created_at: 1,
    output: [{ id: "msg_1", type: "message", role: "user", status: "completed", content: [] }, compaction],
    usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 10, total_tokens: 110 }
  })
const usually = theirs
let answer: () => Response = usually
afterEach(() => {
  answer = usually
})
const offering = fakeUpstream("openai-responses", {
  answer: ({ path }) => (path === compactPath ? answer() : undefined)
})
const lacking = fakeUpstream("openai-responses")
const other = fakeUpstream("anthropic-messages")
const poor = "poor-secret-0123456789-0123456789"
const bob = "bob-secret-0123456789-0123456789"

let gateway: GatewayHere
let client: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-compact-"))
  const at = (...names: ReadonlyArray<string>) => ({ routes: names.map((upstream) => ({ upstream, model: "m" })) })
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        offering: { protocol: "openai-responses", base_url: `${offering.url}/v1` },
        // Its circuit is its own.
        failing: { protocol: "openai-responses", base_url: `${offering.url}/v1` },
        lacking: { protocol: "openai-responses", base_url: `${lacking.url}/v1`, max_concurrency: 1 },
        other: { protocol: "anthropic-messages", base_url: other.url }
      },
      models: {
        offered: { ...at("offering"), price: { input: 1_000, cached_input: 100, output: 10_000 } },
        lacked: at("lacking"),
        mixed: at("offering", "other"),
        failing: at("failing"),
        small: { ...at("offering"), context: 1_000 }
      },
      keys: [
        { name: "poor", secret: poor, balance_usd: 0.001 },
        { name: "bob", secret: bob }
      ]
    })
  )
  gateway = await startGateway({ folder })
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([offering, lacking, other].map((fake) => fake.stop()))
})

const post = async (body: object, key = testKey) => {
  const response = await request(gateway, compactPath, { body, key })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const compactions = (fake: typeof offering) => fake.asked.filter(({ path }) => path === compactPath)

describe("a compaction by an upstream of the dialect", () => {
  it("is the upstream's own, in the gateway's name, and is what it costs", async () => {
    const novel = { type: "tomorrows_item", id: "x", a: 1 }
    const { body, headers, status } = await post({
      model: "offered",
      input: [{ role: "user", content: "Hello" }, novel],
      instructions: "Be brief.",
      tomorrows_field: true,
      stream: true
    })
    expect(status).toBe(200)
    expect(compactions(offering).at(-1)?.body).toEqual({
      model: "m",
      input: [{ role: "user", content: "Hello" }, novel],
      instructions: "Be brief.",
      tomorrows_field: true
    })
    expect(body).toMatchObject({
      object: "response.compaction",
      id: expect.stringMatching(/^resp_/),
      output: [{ type: "message" }, compaction],
      usage: { input_tokens: 100, output_tokens: 10 }
    })
    expect([body.id === "resp_theirs", body.created_at === 1]).toEqual([false, false])
    expect(Number(headers.get("x-gateway-cost-usd"))).toBeCloseTo((60 * 1_000 + 40 * 100 + 10 * 10_000) / 1e6, 9)
    // It goes where it came from.
    const input = [...body.output, { role: "user", content: "play:text" }]
    expect((await client.responses.create({ model: "offered", input })).status).toBe("completed")
    expect(offering.asked.at(-1)?.body.input).toContainEqual(compaction)
  })

  it("is told the conversation that the gateway keeps, and of the gateway's own summaries the text", async () => {
    const first = await client.responses.create({ model: "offered", input: "I am Grace. play:text" })
    const summed = await post({ model: "lacked", input: "I like cobalt. play:text" })
    const { status } = await post({ model: "offered", previous_response_id: first.id, input: summed.body.output })
    expect(status).toBe(200)
    const sent = compactions(offering).at(-1)?.body
    expect(sent).not.toHaveProperty("previous_response_id")
    const words = JSON.stringify(sent.input)
    for (const said of ["I am Grace", first.output_text, "I like cobalt", "Summary of the conversation so far"]) {
      expect(words).toContain(said)
    }
    expect(words).not.toContain("mgc1.")
  })

  it("is the gateway's own where the upstream offers none, which is not asked again, or another could not read it", async () => {
    for (let count = 0; count < 3; count++) {
      const { body, status } = await post({ model: "lacked", input: "Hello! play:text" })
      expect([status, body.output.at(-1).encrypted_content]).toEqual([200, expect.stringMatching(/^mgc1\./)])
    }
    expect(compactions(lacking).length).toBeLessThanOrEqual(1)
    const before = compactions(offering).length
    expect((await post({ model: "mixed", input: "Hello! play:text" })).body.output.at(-1).type).toBe("compaction")
    expect(compactions(offering)).toHaveLength(before)
    const refused = await post({ model: "lacked", input: [{ type: "tomorrows_item" }] })
    expect([refused.status, refused.body.error.param]).toEqual([400, "input[0].type"])
  })

  it("is asked for again where it lacked what one request named", async () => {
    answer = () => Response.json({ error: { message: "No such file", param: "input[0]" } }, { status: 404 })
    const own = await post({ model: "offered", input: "Hello! play:text" })
    expect([own.status, own.body.output.at(-1).encrypted_content]).toEqual([200, expect.stringMatching(/^mgc1\./)])
    answer = usually
    const { body, status } = await post({ model: "offered", input: "Hello!" }, bob)
    expect([status, body.output.at(-1)]).toMatchObject([200, { encrypted_content: "opaque" }])
  })

  it("fails as every call does", async () => {
    answer = () => Response.json({ error: { message: "too long for me", param: "input" } }, { status: 400 })
    const refused = await post({ model: "offered", input: "Hello!" })
    expect([refused.status, refused.body.error]).toMatchObject([400, { message: "too long for me", param: "input" }])
    const bad: ReadonlyArray<() => Response> = [
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      () => Response.json({ object: "response.compaction", output: [] }),
      () => Response.json({ object: "response.compaction", output: [null] }),
      () => new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } })
    ]
    for (const one of bad) {
      answer = one
      expect((await post({ model: "failing", input: "Hello!" })).status).toBe(500)
    }
    expect(gateway.output()).toContain('"said":"no JSON: <html>"')
  })
})

describe("what can't be compacted", () => {
  it.each(["offered", "lacked"])("nothing, no money, no such response, another's response (%s)", async (model) => {
    expect(await post({ model })).toMatchObject({ status: 400, body: { error: { param: "input" } } })
    expect(await post({ model, input: [] })).toMatchObject({ status: 400, body: { error: { param: "input" } } })
    const own = await client.responses.create({ model, input: "I am Grace. play:text" })
    const unknown = await post({ model, previous_response_id: "resp_x" }, bob)
    const foreign = await post({ model, previous_response_id: own.id }, bob)
    expect(foreign).toMatchObject({ status: 400, body: { error: { param: "previous_response_id" } } })
    expect(foreign.body.error.message.replace(own.id, "resp_x")).toBe(unknown.body.error.message)
    const reference = (id: string) => post({ model, input: [{ type: "item_reference", id }] }, bob)
    const item = await reference(own.output[0]!.id ?? "")
    expect(item.status).toBe(404)
    expect(item.body.error.message.replace(own.output[0]!.id, "msg_x")).toBe(
      (await reference("msg_x")).body.error.message
    )
  })

  it("without money for it, or beyond the model's context", async () => {
    expect((await post({ model: "offered", input: "Hello!" }, poor)).status).toBe(402)
    const before = compactions(offering).length
    const long = await post({ model: "small", input: "word ".repeat(20_000) })
    expect([long.status, long.body.error.param]).toEqual([400, "input"])
    expect(compactions(offering)).toHaveLength(before)
  })
})
