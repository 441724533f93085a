import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"

/** Every fake upstream says that 20 tokens went in, 5 of them from its cache. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

describe.each(protocols)("tokens from the cache of %s", (protocol) => {
  const model = models[protocol]
  const content = "play:text"

  it.each([false, true])("come back in each family's words, streamed: %s", async (stream) => {
    const asked = { model, messages: [{ role: "user" as const, content }] }
    const completion = stream
      ? await world.openai.chat.completions
          .stream({ ...asked, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await world.openai.chat.completions.create(asked)
    expect(completion.usage).toMatchObject({ prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 5 } })
    const response = stream
      ? await world.openai.responses.stream({ model, input: content }).finalResponse()
      : await world.openai.responses.create({ model, input: content })
    expect(response.usage).toMatchObject({ input_tokens: 20, input_tokens_details: { cached_tokens: 5 } })
    const message = stream
      ? await world.anthropic.messages.stream({ ...asked, max_tokens: 100 }).finalMessage()
      : await world.anthropic.messages.create({ ...asked, max_tokens: 100 })
    expect(message.usage).toMatchObject({ input_tokens: 15, cache_read_input_tokens: 5 })
  })
})
