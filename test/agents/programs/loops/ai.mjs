// A loop by the AI SDK, by the provider of each of the three families.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { isStepCount, stepCountIs, streamText, tool } from "ai"
import { z } from "zod"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PIXEL } = process.env
const [, , id, prompt, way] = process.argv
const options = { baseURL: `${GATEWAY_URL}/v1`, apiKey }
const model = {
  responses: () => createOpenAI(options)(id),
  messages: () => createAnthropic(options)(id),
  chat: () => createOpenAICompatible({ ...options, name: "gateway" })(id)
}[way]()
const result = streamText({
  model,
  system: "You look at things.",
  messages: [
    {
      role: "user",
      content: prompt,
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } }
    }
  ],
  maxRetries: 0,
  stopWhen: (stepCountIs ?? isStepCount)(40),
  tools: {
    look: tool({
      description: "Looks at a thing",
      inputSchema: z.object({ what: z.string() }),
      execute: ({ what }) => `${what}: 4711`
    }),
    show_picture: tool({
      description: "Shows a picture",
      inputSchema: z.object({}),
      execute: () => "shown",
      toModelOutput: () => ({
        type: "content",
        value: [{ type: "media", mediaType: "image/png", data: PIXEL }]
      })
    })
  },
  onError: ({ error }) => console.log(String(error))
})
console.log(await result.text)
