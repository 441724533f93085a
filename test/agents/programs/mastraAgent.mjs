import { Agent } from "@mastra/core/agent"
import { createTool } from "@mastra/core/tools"
import { z } from "zod"

// An agent with a tool, whole and streamed.

const [model, prompt] = process.argv.slice(2)
const readNote = createTool({
  id: "read_note",
  description: "Reads a note",
  inputSchema: z.object({ number: z.number() }),
  execute: async () => ({ note: "the note says 4711" })
})
const agent = new Agent({
  id: "reader",
  name: "reader",
  instructions: "Be brief.",
  model: { id: `gateway/${model}`, url: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY },
  tools: { read_note: readNote }
})
const { text } = await agent.generate(prompt)
console.log(text)
const stream = await agent.stream(prompt)
for await (const piece of stream.textStream) process.stdout.write(piece)
console.log("\nend of the stream")
