// A loop by LangChain's models, by the clients of each of the three families.
import { ChatAnthropic } from "@langchain/anthropic"
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { z } from "zod"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PIXEL } = process.env
const [, , model, prompt, way] = process.argv
const openai = { model, apiKey, configuration: { baseURL: `${GATEWAY_URL}/v1` }, maxRetries: 0 }
const chosen = {
  responses: () => new ChatOpenAI({ ...openai, useResponsesApi: true }),
  messages: () => new ChatAnthropic({ model, apiKey, anthropicApiUrl: GATEWAY_URL, maxRetries: 0 }),
  chat: () => new ChatOpenAI(openai)
}[way]()
const look = tool(({ what }) => `${what}: 4711`, {
  name: "look",
  description: "Looks at a thing",
  schema: z.object({ what: z.string() })
})
const bound = chosen.bindTools([look])
const messages = [
  new SystemMessage("You look at things."),
  new HumanMessage({
    content: [
      { type: "text", text: prompt },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }
    ]
  })
]
for (;;) {
  let message
  for await (const chunk of await bound.stream(messages))
    message = message === undefined ? chunk : message.concat(chunk)
  messages.push(message)
  if (!message.tool_calls?.length) {
    console.log(message.text)
    break
  }
  for (const call of message.tool_calls)
    messages.push(new ToolMessage({ tool_call_id: call.id, content: await look.invoke(call.args) }))
}
