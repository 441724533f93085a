import Anthropic from "@anthropic-ai/sdk"

// The tool runner of the client library, with its threads as it has them by itself.
const [model, prompt] = process.argv.slice(2)
const client = new Anthropic({ maxRetries: 0 })
const runner = client.beta.messages.toolRunner({
  model,
  max_tokens: 1_000,
  stream: process.argv[4] === "stream",
  messages: [{ role: "user", content: prompt }],
  tools: [
    {
      name: "get_weather",
      description: "The weather in a city",
      input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      run: ({ city }) => `18 degrees in ${city}`,
      parse: (input) => input
    }
  ]
})
const message = await runner.runUntilDone()
console.log(message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""))
