// A loop by LangChain's agent, by the clients of each of the three families: thinking, a picture and a PDF, cache marks,
// and a summary of the conversation in its middle.
import { ChatAnthropic } from "@langchain/anthropic"
import { ChatOpenAI } from "@langchain/openai"
import { anthropicPromptCachingMiddleware, createAgent, HumanMessage, summarizationMiddleware, tool } from "langchain"
import { z } from "zod"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PDF, PIXEL, READS_IMAGES } = process.env
const [, , id, prompt, way] = process.argv
const usual = { model: id, apiKey, maxRetries: 0 }
const openai = { ...usual, configuration: { baseURL: `${GATEWAY_URL}/v1` } }
const model = {
  responses: () =>
    new ChatOpenAI({ ...openai, useResponsesApi: true, reasoning: { effort: "medium", summary: "auto" } }),
  messages: () => new ChatAnthropic({ ...usual, anthropicApiUrl: GATEWAY_URL, thinking: { type: "adaptive" } }),
  chat: () => new ChatOpenAI(openai)
}[way]()
const agent = createAgent({
  model,
  systemPrompt: "You look at things.",
  tools: [
    tool(({ what }) => `${what}: 4711`, {
      name: "look",
      description: "Looks at a thing",
      schema: z.object({ what: z.string() })
    })
  ],
  middleware: [
    summarizationMiddleware({ model, trigger: { messages: 30 }, keep: { messages: 10 } }),
    ...(way === "messages" ? [anthropicPromptCachingMiddleware()] : [])
  ]
})
const shown = [
  { type: "image", mimeType: "image/png", data: PIXEL },
  { type: "file", mimeType: "application/pdf", data: PDF, metadata: { filename: "paper.pdf" } }
]
const message = new HumanMessage({ contentBlocks: [{ type: "text", text: prompt }, ...(READS_IMAGES ? shown : [])] })
const stream = await agent.stream({ messages: [message] }, { streamMode: "messages", recursionLimit: 200 })
for await (const [chunk] of stream) process.stdout.write(chunk.text ?? "")
