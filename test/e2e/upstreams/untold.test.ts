import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"

/** JSON texts that stand where the usage belongs; undefined is nothing there. */
const partial: Record<DialectName, readonly [input: string, output: string]> = {
  "anthropic-messages": ['{"input_tokens":15}', '{"output_tokens":8}'],
  "openai-responses": ['{"input_tokens":15}', '{"output_tokens":8}'],
  "openai-chat": ['{"prompt_tokens":15}', '{"completion_tokens":8}']
}
const tells = {
  null: () => "null",
  "a text": () => '"free"',
  nothing: () => undefined,
  "an empty object": () => "{}",
  "an empty list": () => "[]",
  "counts that are none": () => '{"input_tokens":"15","output_tokens":-8,"prompt_tokens":1.5,"completion_tokens":null}',
  "the input alone": (of: DialectName) => partial[of][0],
  "the output alone": (of: DialectName) => partial[of][1]
} as const

let usage: (of: DialectName) => string | undefined = tells.null

/** The dialect's answer, with the usage that a server told instead. */
const answer = ({ body, path }: Asked): Response => {
  const name = protocols.find((one) => dialects[one].path === path)!
  const { end, frames, answer, named } = dialects[name]
  const told = usage(name)
  const written = (value: unknown): string => {
    const text = JSON.stringify(value, (key, at: unknown) => {
      if (key !== "usage" || at === null) return at
      return told === undefined ? undefined : "<usage>"
    })
    return text.replaceAll('"<usage>"', () => told ?? "")
  }
  if (body.stream !== true) {
    return new Response(written(answer("text", body.model)), { headers: { "content-type": "application/json" } })
  }
  const events = frames("text", body.model).map(
    (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${written(frame)}\n\n`
  )
  return new Response(events.join("") + end, { headers: { "content-type": "text/event-stream" } })
}

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { answer } })
})
afterAll(() => world.dispose())

/** Input and output tokens as each family's client reads them. */
const callers = {
  messages: async (model: string, stream: boolean) => {
    const body = { model, max_tokens: 100, messages: [{ role: "user" as const, content: "play:text" }] }
    const message = stream
      ? await world.anthropic.messages.stream(body).finalMessage()
      : await world.anthropic.messages.create(body)
    return [message.usage.input_tokens, message.usage.output_tokens]
  },
  responses: async (model: string, stream: boolean) => {
    const body = { model, input: "play:text" }
    const response = stream
      ? await world.openai.responses.stream(body).finalResponse()
      : await world.openai.responses.create(body)
    return [response.usage?.input_tokens, response.usage?.output_tokens]
  },
  chat: async (model: string, stream: boolean) => {
    const body = { model, messages: [{ role: "user" as const, content: "play:text" }] }
    const completion = stream
      ? await world.openai.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await world.openai.chat.completions.create(body)
    return [completion.usage?.prompt_tokens, completion.usage?.completion_tokens]
  }
}

const names = Object.keys(callers) as ReadonlyArray<keyof typeof callers>

describe.each(protocols)("%s that tells of its usage", (protocol) => {
  describe.each(names)("and is asked by a client of %s", (family) => {
    it.each(Object.entries(tells))("%s is counted by the gateway", async (_, told) => {
      usage = told
      for (const stream of [false, true]) {
        const [input = Number.NaN, output = Number.NaN] = await callers[family](models[protocol], stream)
        for (const tokens of [input, output]) {
          expect([stream, Number.isSafeInteger(tokens)]).toEqual([stream, true])
          expect(tokens).toBeGreaterThan(0)
          expect(tokens).toBeLessThan(100)
        }
      }
    })
  })
})
