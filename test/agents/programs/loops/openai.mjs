// A loop by OpenAI's own client, by chat completions or by responses.
import OpenAI from "openai"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PIXEL } = process.env
const [, , model, prompt, way] = process.argv
const client = new OpenAI({ baseURL: `${GATEWAY_URL}/v1`, apiKey, maxRetries: 0 })
const picture = `data:image/png;base64,${PIXEL}`
const declared = [
  {
    name: "look",
    description: "Looks at a thing",
    parameters: {
      type: "object",
      properties: { what: { type: "string" } },
      required: ["what"],
      additionalProperties: false
    }
  },
  {
    name: "show_picture",
    description: "Shows a picture",
    parameters: { type: "object", properties: {}, additionalProperties: false }
  }
]
const look = (args) => `${JSON.parse(args).what}: 4711`

const byChat = async () => {
  const messages = [
    { role: "developer", content: "You look at things." },
    { role: "user", content: prompt }
  ]
  const tools = declared.map((one) => ({ type: "function", function: one }))
  for (;;) {
    const { choices } = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
    const { message } = choices[0]
    messages.push(message)
    if (!message.tool_calls?.length) return message.content
    for (const { function: called, id } of message.tool_calls)
      messages.push({
        role: "tool",
        tool_call_id: id,
        content: called.name === "look" ? look(called.arguments) : "It follows."
      })
    if (message.tool_calls.some((call) => call.function.name === "show_picture"))
      messages.push({ role: "user", content: [{ type: "image_url", image_url: { url: picture } }] })
  }
}

const byResponses = async () => {
  const input = [{ role: "user", content: prompt }]
  const tools = declared.map((one) => ({ type: "function", strict: true, ...one }))
  for (;;) {
    const stream = client.responses.stream({
      model,
      instructions: "You look at things.",
      input,
      tools,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "medium", summary: "auto" }
    })
    const { output, output_text } = await stream.finalResponse()
    input.push(...output)
    const calls = output.filter(({ type }) => type === "function_call")
    if (calls.length === 0) return output_text
    for (const { arguments: args, call_id, name } of calls)
      input.push({
        type: "function_call_output",
        call_id,
        output: name === "look" ? look(args) : [{ type: "input_image", detail: "auto", image_url: picture }]
      })
  }
}

console.log(await (way === "responses" ? byResponses() : byChat()))
