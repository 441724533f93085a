// A loop by OpenAI's own client, by chat completions or by responses: a picture and a PDF, and with responses effort
// and a compaction in its middle.
import OpenAI from "openai"

const { GATEWAY_URL, GATEWAY_KEY: apiKey, PDF, PIXEL, READS_IMAGES } = process.env
const [, , model, prompt, way] = process.argv
const client = new OpenAI({ baseURL: `${GATEWAY_URL}/v1`, apiKey, maxRetries: 0 })
const picture = `data:image/png;base64,${PIXEL}`
const paper = { filename: "paper.pdf", file_data: `data:application/pdf;base64,${PDF}` }
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
  ...["show_picture", "show_paper"].map((name) => ({
    name,
    description: "Shows it",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false }
  }))
]
const look = (args) => `${JSON.parse(args).what}: 4711`

const byChat = async () => {
  const shown = {
    show_picture: { type: "image_url", image_url: { url: picture } },
    show_paper: { type: "file", file: paper }
  }
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
    for (const { function: called } of message.tool_calls)
      if (READS_IMAGES && called.name in shown) messages.push({ role: "user", content: [shown[called.name]] })
  }
}

const byResponses = async () => {
  const shown = {
    show_picture: [{ type: "input_image", detail: "auto", image_url: picture }],
    show_paper: [{ type: "input_file", ...paper }]
  }
  let input = [{ role: "user", content: prompt }]
  const tools = declared.map((one) => ({ type: "function", strict: true, ...one }))
  for (let turn = 1; ; turn++) {
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
        output: shown[name] ?? look(args)
      })
    if (turn === 12) input = [...(await client.responses.compact({ model, input })).output]
  }
}

console.log(await (way === "responses" ? byResponses() : byChat()))
