import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"

/** Asks `sandbox-text` a question in each text family, by its official client, streamed and not. */
export const askEveryWay = async (url: string, key: string, question: string): Promise<Record<string, string>> => {
  const anthropic = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  const message = { model: "sandbox-text", max_tokens: 200, messages: [{ role: "user" as const, content: question }] }
  const response = { model: "sandbox-text", input: question }
  const said = (parts: ReadonlyArray<Anthropic.ContentBlock>) =>
    parts.map((part) => (part.type === "text" ? part.text : "")).join("")

  let streamed = ""
  for await (const event of await openai.responses.create({ ...response, stream: true })) {
    if (event.type === "response.output_text.delta") streamed += event.delta
  }
  return {
    message: said((await anthropic.messages.create(message)).content),
    "message stream": said((await anthropic.messages.stream(message).finalMessage()).content),
    response: (await openai.responses.create(response)).output_text,
    "response stream": streamed
  }
}
