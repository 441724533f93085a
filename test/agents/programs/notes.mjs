import { createInterface } from "node:readline"

// An MCP server over its standard streams, with one note in it.

const tools = [
  {
    name: "read_note",
    description: "Reads the note with a number",
    inputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    annotations: { readOnlyHint: true }
  }
]

/** The arguments as they were written: a number is what is looked for digit by digit. */
const written = (line) => /"arguments":(\{[^}]*\})/.exec(line)?.[1] ?? ""

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" }
  }),
  "tools/list": () => ({ tools }),
  "tools/call": (_, line) => ({ content: [{ type: "text", text: `the note of ${written(line)} says 4711` }] })
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const told =
    answer === undefined ? { error: { code: -32601, message: "no such method" } } : { result: answer(params, line) }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...told })}\n`)
})
