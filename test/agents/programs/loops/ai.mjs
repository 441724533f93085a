// A loop by the AI SDK, by the provider of each of the three families: thinking, a picture and a PDF, cache marks, and a
// history that is pruned in its middle.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { isStepCount, pruneMessages, streamText, tool } from "ai"
import { z } from "zod"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PDF, PIXEL, READS_IMAGES } = process.env
const [, , id, prompt, way] = process.argv
const options = { baseURL: `${GATEWAY_URL}/v1`, apiKey }
const model = {
  responses: () => createOpenAI(options)(id),
  messages: () => createAnthropic(options)(id),
  chat: () => createOpenAICompatible({ ...options, name: "gateway" })(id)
}[way]()
const anthropic = { cacheControl: { type: "ephemeral" } }
const file = (mediaType, data) => ({ type: "file", mediaType, data: { type: "data", data } })
// Results of chat completions are texts, so its files come with the prompt.
const shown = way === "chat" && READS_IMAGES ? [file("image/png", PIXEL), file("application/pdf", PDF)] : []
const show = (mediaType, data) =>
  tool({
    description: "Shows it",
    inputSchema: z.object({}),
    execute: () => "shown",
    toModelOutput: () => ({ type: "content", value: [{ type: "text", text: "Here it is." }, file(mediaType, data)] })
  })
const result = streamText({
  model,
  system: "You look at things.",
  messages: [{ role: "user", content: [{ type: "text", text: prompt, providerOptions: { anthropic } }, ...shown] }],
  providerOptions: {
    anthropic: { thinking: { type: "adaptive" } },
    openai: { reasoningEffort: "medium", reasoningSummary: "auto" }
  },
  maxRetries: 0,
  stopWhen: isStepCount(40),
  prepareStep: ({ messages, stepNumber }) =>
    stepNumber < 12
      ? {}
      : { messages: pruneMessages({ messages, reasoning: "all", toolCalls: "before-last-6-messages" }) },
  tools: {
    look: tool({
      description: "Looks at a thing",
      inputSchema: z.object({ what: z.string() }),
      execute: ({ what }) => `${what}: 4711`
    }),
    show_picture: show("image/png", PIXEL),
    show_paper: show("application/pdf", PDF)
  },
  onError: ({ error }) => console.log(String(error), error.responseBody)
})
console.log(await result.text)
