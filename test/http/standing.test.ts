import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { Settings } from "../../src/config/Settings.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import * as Gateway from "../../src/Gateway.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"

const settings = Settings.from({
  GATEWAY_PORT: "0",
  GATEWAY_DATABASE_URL: "sqlite::memory:",
  GATEWAY_SECRET: "a secret of thirty-two characters"
})

it.live("every reply says where its caller stands, in the headers of its family's vendor", () =>
  Effect.gen(function* () {
    const gateway = yield* Layer.build(Gateway.layer({ settings, accessLog: AccessLog.Off }))
    const { secret } = yield* Context.get(gateway, Keys).create({
      account: AccountId.make("default"),
      name: "limited",
      limits: { requestsPerMinute: 3, tokensPerMinute: 100_000 }
    })
    const ask = (path: string, body: unknown) =>
      Effect.promise(async () => {
        const answer = await fetch(new URL(path, Context.get(gateway, Gateway.Address).url), {
          method: "POST",
          headers: { authorization: `Bearer ${Redacted.value(secret)}` },
          body: JSON.stringify(body)
        })
        const told = [...answer.headers].filter(([name]) => /ratelimit/.test(name) && !name.endsWith("reset"))
        return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(told) }
      })

    const message = { model: "sandbox-text", max_tokens: 1_000, stream: true, messages: "Hello!" }
    const first = (yield* ask("/v1/messages", message)).headers
    expect(first).toMatchObject({
      "anthropic-ratelimit-requests-limit": "3",
      "anthropic-ratelimit-requests-remaining": "2",
      "anthropic-ratelimit-tokens-limit": "100000"
    })
    // The tokens that the request may use are reserved before its first byte is sent.
    expect(Number(first["anthropic-ratelimit-tokens-remaining"])).toBeLessThan(99_000)

    const { headers, status } = yield* ask("/v1/responses", {
      model: "sandbox-text",
      max_output_tokens: 1_000,
      input: "Hi"
    })
    expect([status, headers["x-ratelimit-remaining-requests"]]).toEqual([200, "1"])
    expect(Number(headers["x-ratelimit-remaining-tokens"])).toBeLessThan(99_000)

    yield* ask("/v1/responses", { model: "no-such-model", input: "Hi" })
    const refused = yield* ask("/v1/responses", { model: "sandbox-text", input: "Hi" })
    expect([refused.status, refused.headers["x-ratelimit-remaining-requests"]]).toEqual([429, "0"])
    expect(Object.keys(refused.headers).some((name) => name.startsWith("anthropic"))).toBe(false)
  }).pipe(Effect.scoped)
)
