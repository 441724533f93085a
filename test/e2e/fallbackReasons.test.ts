import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { DialectName } from "../upstreams/fakes/fakeUpstream.ts"
import { refusals } from "../upstreams/fakes/refusals.ts"
import { refusedBy } from "../upstreams/fakes/refusing.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const fakes = (["openai-chat", "openai-responses", "anthropic-messages"] as const).map((protocol) => ({
  protocol,
  fake: fakeUpstream(protocol, {
    answer: ({ body }) => {
      const refusing = refusals[Number(/^row-(\d+)/.exec(body.model)?.[1] ?? "none")]
      return refusing && refusedBy(refusing, body.stream === true)
    }
  })
}))
const urlOf = (protocol: DialectName) => {
  const url = fakes.find((one) => one.protocol === protocol)?.fake.url ?? ""
  return protocol === "anthropic-messages" ? url : `${url}/v1`
}

const rows = refusals.map((row, index) => ({ ...row, id: `row-${index}` }))
/** Each row has an upstream of its own, so that none suffers from another's failures. */
const config = {
  upstreams: {
    "openai-chat": { protocol: "openai-chat", base_url: urlOf("openai-chat") },
    "openai-responses": { protocol: "openai-responses", base_url: urlOf("openai-responses") },
    "anthropic-messages": { protocol: "anthropic-messages", base_url: urlOf("anthropic-messages") },
    ...Object.fromEntries(
      rows.map(({ id, protocol, provider }) => [
        id,
        {
          protocol,
          base_url: urlOf(protocol),
          ...(protocol === "openai-chat" && provider === "OpenRouter" ? { provider: "openrouter" } : {})
        }
      ])
    )
  },
  models: {
    roomy: "anthropic-messages",
    lenient: "openai-responses",
    spare: "openai-chat",
    ...Object.fromEntries(
      rows.flatMap(({ id, protocol }) => [
        [id, { routes: [{ upstream: id }], fallbacks: { too_long: "roomy", refused: ["lenient"], failed: "spare" } }],
        [
          `${id}-routes`,
          {
            routes: [
              { upstream: id, model: id },
              { upstream: protocol, model: "other" }
            ]
          }
        ],
        [`${id}-alone`, { routes: [{ upstream: id, model: id }] }]
      ])
    )
  }
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-fallback-reasons-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(fakes.map(({ fake }) => fake.stop()))
})

const messages = [{ role: "user", content: "play:text" }]
const families = {
  chat: ["/v1/chat/completions", { messages }],
  messages: ["/v1/messages", { messages, max_tokens: 100 }],
  responses: ["/v1/responses", { input: "play:text" }]
} as const
const ask = async (family: keyof typeof families, model: string, stream: boolean) => {
  const [path, body] = families[family]
  const response = await request(gateway, path, { body: { ...body, model, stream } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const answeredBy = { too_long: "anthropic-messages", refused: "openai-responses", failed: "openai-chat" } as const

describe.each(["chat", "messages", "responses"] as const)("asked as %s", (family) => {
  it.each([false, true])(
    "each provider's refusal is answered by the model for its reason (stream: %s)",
    async (stream) => {
      const answers = await Promise.all(
        rows.map(async ({ id, provider, reason, status }) => {
          const { headers, status: answered, text } = await ask(family, id, stream)
          return {
            row: [provider, reason, status],
            status: answered,
            fallback: headers.get("x-gateway-fallback"),
            upstream: headers.get("x-gateway-upstream"),
            model: /"model":"([^"]*)"/.exec(text)?.[1]
          }
        })
      )
      const expected = rows.map(({ id, provider, reason, status }) => ({
        row: [provider, reason, status],
        status: 200,
        fallback: reason,
        upstream: answeredBy[reason],
        model: id
      }))
      expect(answers).toEqual(expected)
    }
  )

  it.each([false, true])("inside one model, the next route answers (stream: %s)", async (stream) => {
    const answers = await Promise.all(
      rows.map(async ({ id, protocol, provider, reason, status }) => {
        const { headers, status: answered } = await ask(family, `${id}-routes`, stream)
        const told = [headers.get("x-gateway-fallback"), headers.get("x-gateway-upstream")]
        return { row: [provider, reason, status], answered, told, expected: [null, protocol] }
      })
    )
    for (const { answered, expected, row, told } of answers)
      expect({ row, answered, told }).toEqual({ row, answered: 200, told: expected })
  })
})

it("a filtered answer is one where nothing else is left, and an empty one a failure", async () => {
  const inOne = rows.filter(({ status }) => status === 200)
  const answers = await Promise.all(inOne.map(async ({ id }) => (await ask("chat", `${id}-alone`, false)).status))
  expect(answers).toEqual(inOne.map(({ reason }) => (reason === "failed" ? 500 : 200)))
})
