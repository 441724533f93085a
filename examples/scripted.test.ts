import { expect, test } from "bun:test"
import { Effect, Stream } from "effect"
import { Access, AccessLog, Caller, Gateway, Settings, streamUpstream, TextUpstreams } from "model-gateway"
import type { GenerationEvent } from "model-gateway"

/** Answers every conversation in two pieces. */
const scripted = streamUpstream("sandbox", ({ model }) =>
  Stream.fromIterable<GenerationEvent>([
    { type: "text-delta", text: "I am " },
    { type: "text-delta", text: model },
    { type: "finished", reason: "stop", stopSequence: null }
  ])
)

const gateway = Gateway.layer({
  settings: Settings.from({ GATEWAY_DATABASE_URL: "sqlite::memory:", GATEWAY_PORT: "0" }),
  access: Access.Test({ authenticate: () => Effect.succeed(Caller.unrestricted("team-a")) }),
  accessLog: AccessLog.Off,
  textUpstreams: TextUpstreams.layer(scripted)
})

const chat = { model: "sandbox-text", max_tokens: 50, messages: [{ role: "user", content: "Why?" }] }

test("the upstream's script is answered in both dialects", () =>
  Effect.gen(function* () {
    const { url } = yield* Gateway.Address
    const ask = (path: string, body: object) =>
      Effect.promise(async () => {
        const answer = await fetch(new URL(path, url), { method: "POST", body: JSON.stringify(body) })
        return answer.text()
      })
    expect(yield* ask("/v1/chat/completions", chat)).toContain(`"content":"I am sandbox-text"`)
    const stream = yield* ask("/v1/messages", { ...chat, stream: true })
    expect(stream.match(/"text":"[^"]+"/g)).toEqual([`"text":"I am "`, `"text":"sandbox-text"`])
  }).pipe(Effect.provide(gateway), Effect.runPromise))
