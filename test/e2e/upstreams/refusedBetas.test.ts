import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it } from "@effect/vitest"
import { betasIn } from "../../upstreams/fakes/claudePlaces.ts"
import { anthropic } from "../../upstreams/fakes/anthropic.ts"
import { request } from "../../request.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

/** A server that is behind its row in the table of places: what it refuses, and in which words. */
let refuses: (betas: ReadonlyArray<string>, body: Readonly<Record<string, unknown>>) => string | undefined
let seen: Array<readonly [model: string, betas: ReadonlyArray<string>, managed: boolean]> = []
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const body = await asked.json()
    const betas = betasIn(asked.headers)
    seen.push([body.model, betas, "context_management" in body])
    const wrong = refuses(betas, body)
    return wrong === undefined
      ? Response.json(anthropic.answer("text", body.model))
      : Response.json(anthropic.error(400, wrong), { status: 400 })
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-refused-betas-"))
  const place = { protocol: "anthropic-messages", base_url: `http://127.0.0.1:${server.port}`, api_key: "key" }
  const upstreams = {
    mantle: { ...place, provider: "mantle" },
    foundry: { ...place, provider: "foundry" },
    unknown: place,
    own: { ...place, provider: "anthropic" },
    allowing: { ...place, anthropic_beta: { allow: ["context-1m-2025-08-07"] } }
  }
  const models = Object.fromEntries(
    [
      "mantle/named",
      "mantle/other",
      "mantle/twice",
      "foundry/field",
      "unknown/unnamed",
      "own/own",
      "allowing/m",
      "mantle/strict"
    ].map((name) => [
      name,
      { routes: [{ upstream: name.split("/")[0], model: `claude-opus-4-8-${name.split("/")[1]}` }] }
    ])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
})
beforeEach(() => {
  seen = []
})
afterAll(async () => {
  await gateway.dispose()
  await server.stop(true)
})

const [code, long, managed, thinking] = [
  "claude-code-20250219",
  "context-1m-2025-08-07",
  "context-management-2025-06-27",
  "interleaved-thinking-2025-05-14"
] as const
const all = [code, long, managed, thinking]

const ask = async (model: string, betas: ReadonlyArray<string> = all, headers = {}) => {
  const body = {
    model,
    max_tokens: 100,
    messages: [{ role: "user", content: "Hi" }],
    context_management: { edits: [{ type: "clear_thinking_20251015" }] }
  }
  const answer = await request(gateway, "/v1/messages", {
    body,
    headers: { "anthropic-beta": betas.join(","), ...headers }
  })
  const text = await answer.text()
  return { status: answer.status, text, adapted: answer.headers.get("x-gateway-adapted") }
}
const betasSeen = () => seen.map(([, betas]) => betas)
const without = (...betas: ReadonlyArray<string>) => all.filter((beta) => !betas.includes(beta))

const unexpected = (beta: string) => (betas: ReadonlyArray<string>) =>
  betas.includes(beta) ? `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header. Please consult` : undefined

it("a beta that a refusal names is left out of a second try, with its fields, and of later requests of the model", async () => {
  refuses = unexpected(managed)
  const first = await ask("mantle/named")
  expect([first.status, first.adapted]).toEqual([200, `anthropic-beta.${managed}, context_management`])
  expect(seen).toEqual([
    ["claude-opus-4-8-named", all, true],
    ["claude-opus-4-8-named", without(managed), false]
  ])
  expect(gateway.output()).toMatch(
    /an upstream refused a field that the gateway sends there.*context-management-2025-06-27/
  )
  seen = []
  const second = await ask("mantle/named")
  expect([second.status, second.adapted]).toEqual([first.status, first.adapted])
  expect(betasSeen()).toEqual([without(managed)])
  // Nothing was learned of another model.
  refuses = () => undefined
  seen = []
  await ask("mantle/other")
  expect(betasSeen()).toEqual([all])
})

it("a beta whose field the place does not know is left out with it", async () => {
  refuses = (_, body) =>
    "context_management" in body ? "context_management: Extra inputs are not permitted" : undefined
  expect((await ask("foundry/field")).status).toBe(200)
  expect(betasSeen()).toEqual([all, without(managed)])
})

it("of betas that a refusal does not name, each is tried again, until the one is found", async () => {
  refuses = (betas) => (betas.includes(thinking) ? "invalid beta flag" : undefined)
  for (let asked = 0; asked < 6; asked++) expect((await ask("unknown/unnamed")).status).toBe(200)
  expect(betasSeen()).toEqual([
    all,
    [],
    [code],
    [code, long],
    [code, long, managed],
    all,
    [code, long, managed],
    [code, long, managed]
  ])
})

it("a second try is the last, and what it was refused for is learned by the next request", async () => {
  refuses = (betas) => unexpected(code)(betas) ?? unexpected(long)(betas)
  expect((await ask("mantle/twice")).status).toBe(400)
  expect(betasSeen()).toEqual([all, without(code)])
  seen = []
  expect((await ask("mantle/twice")).status).toBe(200)
  expect(betasSeen()).toEqual([without(code), without(code, long)])
})

it("a strict request is never sent again, nor with fewer betas than were learned", async () => {
  refuses = unexpected(long)
  await ask("mantle/strict")
  seen = []
  const strict = await ask("mantle/strict", all, { "x-gateway-strict": "true" })
  expect([strict.status, strict.text.includes("Unexpected value(s)")]).toEqual([400, true])
  expect(betasSeen()).toEqual([all])
})

it.each(["own/own", "allowing/m"])(
  "is the caller's to read at its own place, and what an operator allows (%s)",
  async (model) => {
    refuses = unexpected(long)
    const { status, text } = await ask(model)
    expect([status, text.includes("Unexpected value(s)")]).toEqual([400, true])
    expect(seen).toHaveLength(1)
  }
)
