// A loop by Anthropic's own client: adaptive thinking, tools, a picture and a PDF as results, four cache marks.
import Anthropic from "@anthropic-ai/sdk"

const { GATEWAY_URL: baseURL, GATEWAY_KEY: apiKey, PDF, PIXEL } = process.env
const [, , model, prompt] = process.argv
const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 })
const cache_control = { type: "ephemeral" }
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) })
const base64 = (media_type, data) => ({ type: "base64", media_type, data })
const tools = [
  { name: "look", description: "Looks at a thing", input_schema: object({ what: { type: "string" } }) },
  { name: "show_picture", description: "Shows a picture", input_schema: object({}) },
  { name: "show_paper", description: "Shows a paper", input_schema: object({}), cache_control }
]
const results = {
  look: ({ what }) => `${what}: 4711`,
  show_picture: () => [{ type: "image", source: base64("image/png", PIXEL) }],
  show_paper: () => [{ type: "document", source: base64("application/pdf", PDF) }]
}
const messages = [{ role: "user", content: [{ type: "text", text: prompt, cache_control }] }]
for (;;) {
  const stream = client.messages.stream({
    model,
    max_tokens: 8_000,
    thinking: { type: "adaptive" },
    system: [{ type: "text", text: "You look at things.", cache_control }],
    tools,
    messages
  })
  const { content, stop_reason } = await stream.finalMessage()
  messages.push({ role: "assistant", content })
  if (stop_reason !== "tool_use") {
    console.log(content.map(({ text = "" }) => text).join(""))
    break
  }
  const calls = content.filter(({ type }) => type === "tool_use")
  const answered = calls.map(({ id, input, name }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: results[name](input)
  }))
  for (const { content } of messages.slice(1)) for (const block of content) delete block.cache_control
  answered.at(-1).cache_control = cache_control
  messages.push({ role: "user", content: answered })
}
