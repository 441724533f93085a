import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeUpstream } from "./fakes/fakeUpstream.ts"
import type { FakeOptions } from "./fakes/fakeUpstream.ts"
import { spoken } from "./fakes/scenarios.ts"
import { events, forward } from "./passing.ts"
import type { Native } from "./passing.ts"

const fakes: Array<ReturnType<typeof fakeUpstream>> = []

afterAll(() => Promise.all(fakes.map((fake) => fake.stop())))

const fake = (protocol: Native, options: FakeOptions = {}) => {
  const made = fakeUpstream(protocol, options)
  fakes.push(made)
  return made
}

describe("a messages request, passed through", () => {
  it.effect("has ids of calls that its upstream takes", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const id = "functions.get_weather:0"
      const messages = [
        { role: "assistant", content: [{ type: "tool_use", id, name: "get_weather", input: {}, own: 1 }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] }
      ]
      yield* events(forward("anthropic-messages", up, { messages }))
      const legal = expect.stringMatching(/^functions_get_weather_0_\w+$/)
      expect(up.asked.at(-1)?.body.messages).toMatchObject([
        { content: [{ id: legal, own: 1 }] },
        { content: [{ tool_use_id: legal, content: "sunny" }] }
      ])
    })
  )

  it.effect("keeps unknown fields and beta headers, and changes model, key and stream alone", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const messages = [
        { role: "user", content: [{ type: "text", text: "play:text", cache_control: { type: "ephemeral" } }] }
      ]
      const body = { model: "caller-model", messages, max_tokens: 5, context_management: { edits: [] }, async: false }
      const headers = { "anthropic-beta": "context-1m", "x-api-key": "caller's", cookie: "c", "x-other": "y" }
      yield* events(forward("anthropic-messages", up, body, { headers }))
      const asked = up.asked.at(-1)
      const { async: _, ...rest } = body
      expect(asked?.body).toEqual({ ...rest, model: "m-1", stream: true })
      expect(asked?.headers).toMatchObject({ "anthropic-beta": "context-1m", "x-api-key": "sk-ours" })
      expect(asked?.headers).not.toHaveProperty("cookie")
      expect(asked?.headers).not.toHaveProperty("x-other")
    })
  )

  it.effect("has blocks that are ours said in the upstream's way, and what we sealed left out", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const sealed = btoa("gateway:1") + btoa("text")
      const messages = [
        {
          role: "user",
          content: [
            { type: "file_data", media_type: "application/pdf", data: "JVBERi0=" },
            { type: "file", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "document", source: { type: "base64", media_type: "text/markdown", data: btoa("# a") }, title: "t" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "a", signature: sealed },
            { type: "thinking", thinking: "b", signature: spoken.signature },
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            {
              type: "web_search_tool_result",
              tool_use_id: "s1",
              content: [{ type: "web_search_result", url: "https://e.com", encrypted_content: sealed }]
            },
            { type: "text", text: "x", citations: [{ encrypted_index: sealed }, { encrypted_index: "Eo8B" }] }
          ]
        }
      ]
      yield* events(forward("anthropic-messages", up, { messages }))
      expect(up.asked.at(-1)?.body.messages).toEqual([
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "# a" }, title: "t" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "b", signature: spoken.signature },
            { type: "text", text: "x", citations: [{ encrypted_index: "Eo8B" }] }
          ]
        }
      ])
    })
  )
})

it.effect("a responses request, passed through, stores nothing upstream and gets reasoning it can replay", () =>
  Effect.gen(function* () {
    const up = fake("openai-responses")
    const body = { model: "x", input: "play:text", store: true, previous_response_id: "resp_1", unknown: { a: 1 } }
    yield* events(forward("openai-responses", up, body, { upstreamModel: "gpt-5.1" }))
    expect(up.asked.at(-1)?.body).toEqual({
      model: "gpt-5.1",
      input: "play:text",
      store: false,
      stream: true,
      unknown: { a: 1 },
      include: ["reasoning.encrypted_content"]
    })
  })
)
