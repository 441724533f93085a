import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import type { Attention } from "../../../src/admin/OverviewRecord.ts"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { FakeName } from "../../upstreams/fakes/fakeUpstream.ts"
import { request } from "../../request.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey } from "../adminClient.ts"

/** What the upstreams refuse: the message for a body, undefined where they take it. */
let refuses: (body: JsonObject) => string | undefined
let status = 400
const fake = (name: FakeName) =>
  fakeUpstream(name, {
    answer: ({ body }) => {
      const message = refuses(body)
      return message === undefined ? undefined : Response.json({ error: { message, type: "invalid" } }, { status })
    }
  })
const fakes = {
  "anthropic-messages": fake("anthropic-messages"),
  "openai-responses": fake("openai-responses"),
  "openai-chat": fake("openai-chat"),
  gemini: fake("gemini")
}
const names = Object.keys(fakes) as ReadonlyArray<FakeName>

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-refused-fields-"))
  const at = (protocol: FakeName, more = {}) => ({
    protocol,
    api_key: "key-0123456789",
    base_url: `${fakes[protocol].url}${{ "anthropic-messages": "", gemini: "/v1beta" }[protocol as string] ?? "/v1"}`,
    ...more
  })
  const upstreams = {
    ...Object.fromEntries(names.map((name) => [name, at(name)])),
    "own-messages": at("anthropic-messages", { provider: "anthropic" }),
    "own-responses": at("openai-responses", { provider: "openai" }),
    "own-chat": at("openai-chat", { provider: "openai" }),
    azure: at("openai-responses", { provider: "azure" })
  }
  const models = Object.fromEntries(
    Object.keys(upstreams).map((upstream) => [upstream, { routes: [{ upstream, model: modelsAt[upstream] ?? "m" }] }])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
const modelsAt: Readonly<Record<string, string>> = {
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-2.5-pro"
}

/** The key of a new account: nothing that others were refused counts for it. */
const newKey = async (): Promise<string> => {
  const post = (path: string, body: object) => request(gateway, path, { key: adminKey, body })
  const account = `account-${++accounts}`
  await post("/admin/v1/accounts", { id: account })
  const made = await post("/admin/v1/keys", { account, name: "k" })
  const { secret } = (await made.json()) as { readonly secret: string }
  return secret
}
let accounts = 0
let key: string
beforeEach(async () => {
  key = await newKey()
  status = 400
  for (const { asked } of Object.values(fakes)) asked.length = 0
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(Object.values(fakes).map(({ stop }) => stop()))
})

const user = [{ role: "user", content: "Hello" }]
const families = {
  messages: ["/v1/messages", { messages: user, max_tokens: 100 }],
  responses: ["/v1/responses", { input: "Hello" }],
  chat: ["/v1/chat/completions", { messages: user }]
} as const
type Family = keyof typeof families
const familyNames = Object.keys(families) as ReadonlyArray<Family>

const ask = async (family: Family, model: string, more: object = {}, headers = {}) => {
  const [path, body] = families[family]
  const response = await request(gateway, path, { key, body: { model, ...body, ...more }, headers })
  return {
    status: response.status,
    text: await response.text(),
    adapted: (response.headers.get("x-gateway-adapted") ?? "").split(", ")
  }
}

/** The words for a refused temperature. */
const words: Readonly<Record<FakeName, string>> = {
  "anthropic-messages": "`temperature` is deprecated for this model.",
  "openai-responses": "Unsupported parameter: 'temperature' is not supported with this model.",
  "openai-chat": "property 'temperature' is unsupported",
  gemini: `Invalid JSON payload received. Unknown name "temperature" at 'generation_config': Cannot find field.`
}
const isHot = (body: JsonObject) => JSON.stringify(body).includes('"temperature":')
const withTemperature = { temperature: 0.5 }

describe("a field that a place refuses by name", () => {
  const cells = names.flatMap((name) =>
    familyNames.flatMap((family) => [false, true].map((stream) => [name, family, stream] as const))
  )
  it.each(cells)("is left out of a second try: %s, asked by %s, streamed: %s", async (name, family, stream) => {
    refuses = (body) => (isHot(body) ? words[name] : undefined)
    const answer = await ask(family, name, { ...withTemperature, stream })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.adapted).toContain("temperature")
    expect(fakes[name].asked.map(({ body }) => isHot(body))).toEqual([true, false])
  })

  it.each([
    ["chat", "openai-chat"],
    ["messages", "openai-chat"],
    ["responses", "openai-responses"]
  ] as const)("is left out of the account's later requests, and of no other's: %s at %s", async (family, name) => {
    refuses = (body) => (isHot(body) ? words[name] : undefined)
    const hot = () => fakes[name].asked.map(({ body }) => isHot(body))
    await ask(family, name, withTemperature)
    const later = await ask(family, name, withTemperature)
    expect([later.status, later.adapted.includes("temperature"), hot()]).toEqual([200, true, [true, false, false]])
    expect((await ask(family, name)).adapted).not.toContain("temperature")
    await ask(family, name, withTemperature, { "x-gateway-strict": "true" })
    expect(hot().at(-1)).toBe(true)
    key = await newKey()
    await ask(family, name, withTemperature)
    expect(hot().slice(-2)).toEqual([true, false])
  })

  it("is sent again with another value, where the value was refused", async () => {
    refuses = (body) =>
      body["temperature"] === 0.5 ? "Unsupported value: 'temperature' does not support 0.5 with this model." : undefined
    await ask("chat", "openai-chat", withTemperature)
    expect(await ask("chat", "openai-chat", { temperature: 1 })).toMatchObject({ status: 200, adapted: [""] })
    expect(fakes["openai-chat"].asked.map(({ body }) => body["temperature"])).toEqual([0.5, undefined, 1])
  })

  it("is one in a 422 too", async () => {
    status = 422
    refuses = (body) => ("seed" in body ? "seed: Extra inputs are not permitted" : undefined)
    expect(await ask("chat", "openai-chat", { seed: 7 })).toMatchObject({ status: 200, adapted: ["seed"] })
  })

  it.each([
    ["own-messages", "messages"],
    ["own-responses", "responses"],
    ["own-chat", "chat"],
    ["azure", "responses"]
  ] as const)("is the caller's to read at its family's own place: %s", async (model, family) => {
    refuses = () => words["openai-responses"]
    const answer = await ask(family, model, withTemperature)
    expect([answer.status, answer.text.includes("Unsupported parameter")]).toEqual([400, true])
    expect(Object.values(fakes).flatMap(({ asked }) => asked)).toHaveLength(1)
  })

  it("is left out where the gateway translated the request to a provider's own place", async () => {
    refuses = (body) => (isHot(body) ? words["openai-responses"] : undefined)
    expect((await ask("messages", "own-responses", withTemperature)).status).toBe(200)
  })

  it.each([
    ["openai-chat", "chat", { response_format: { type: "json_object" } }, "response_format"],
    ["openai-chat", "chat", { tools: [], tool_choice: "none" }, "tool_choice"],
    ["openai-chat", "messages", {}, "messages"],
    ["anthropic-messages", "chat", {}, "max_tokens"],
    ["openai-responses", "chat", {}, "store"]
  ] as const)("is no second try at %s where it isn't optional, by %s: %s %s", async (name, family, more, field) => {
    refuses = () => `Unknown parameter: '${field}'.`
    expect((await ask(family, name, more)).status).toBe(400)
    expect(fakes[name].asked).toHaveLength(1)
  })

  it("a second try is the last", async () => {
    refuses = (body) =>
      isHot(body) ? words["openai-chat"] : "seed" in body ? "property 'seed' is unsupported" : undefined
    for (const family of ["chat", "messages"] as const) {
      key = await newKey()
      fakes["openai-chat"].asked.length = 0
      // A message has no seed: its second try is answered.
      const answer = await ask(family, "openai-chat", { ...withTemperature, ...(family === "chat" && { seed: 7 }) })
      expect(answer.status).toBe(family === "chat" ? 400 : 200)
      expect(fakes["openai-chat"].asked).toHaveLength(2)
    }
  })

  it.each(["chat", "messages"] as const)("a strict request is never sent again: %s", async (family) => {
    refuses = () => words["openai-chat"]
    expect((await ask(family, "openai-chat", withTemperature, { "x-gateway-strict": "true" })).status).toBe(400)
    expect(fakes["openai-chat"].asked).toHaveLength(1)
  })
})

it("the operator is told of it once a day, with the words", async () => {
  const told = async (field: string) => {
    const listed = await request(gateway, "/admin/v1/attention", { key: adminKey })
    const { data } = (await listed.json()) as { readonly data: ReadonlyArray<Attention> }
    return data.filter(({ message }) => message.includes(field))
  }
  const said = (field: string) =>
    gateway
      .output()
      .split("\n")
      .filter((line) => line.includes(`field=${field}`) || line.includes(`"field":"${field}"`))
  refuses = (body) => ("top_p" in body ? "property 'top_p' is unsupported by secret words" : undefined)
  for (let asked = 0; asked < 3; asked++) {
    expect((await ask("chat", "openai-chat", { top_p: 0.5 })).status).toBe(200)
  }
  expect(await told("top_p")).toMatchObject([
    {
      level: "warning",
      what: "upstream",
      id: "openai-chat",
      message: `openai-chat refuses top_p for m: "property 'top_p' is unsupported"`
    }
  ])
  expect(said("top_p")).toHaveLength(1)
  expect(gateway.output()).not.toContain("secret words")
  // Also where nothing can be left out.
  refuses = () => "messages.0.name: Extra inputs are not permitted"
  expect((await ask("chat", "openai-chat")).status).toBe(400)
  expect(await told("messages.0.name")).toHaveLength(1)
  // What is refused at a family's own place is nothing to tell.
  refuses = () => words["openai-responses"]
  await ask("responses", "azure", withTemperature)
  expect(await told("azure refuses")).toEqual([])
})
