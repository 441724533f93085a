import { Clock, Effect, Random } from "effect"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Streamed } from "../guard/download.ts"
import type { Send } from "./Send.ts"

interface SandboxTool {
  readonly description: string
  readonly properties: JsonObject
  readonly isReadOnly: boolean
  readonly run: (input: JsonObject) => Effect.Effect<JsonObject>
}

const text = (words: string, isError = false): JsonObject => ({
  content: [{ type: "text", text: words }],
  ...(isError && { isError })
})

const integer = (minimum: number, maximum: number, description: string) => ({
  type: "integer",
  minimum,
  maximum,
  description
})

const countIn = (input: JsonObject, name: string, most: number, usual: number): number =>
  Math.min(most, Math.max(1, Math.floor(numberAt(input, name) ?? usual)))

const sandboxTools: Readonly<Record<string, SandboxTool>> = {
  clock: {
    description: "Tells the time, in UTC.",
    properties: {},
    isReadOnly: true,
    run: () => Effect.map(Clock.currentTimeMillis, (ms) => text(new Date(ms).toISOString()))
  },
  dice: {
    description: "Rolls dice.",
    properties: {
      count: integer(1, 10, "How many dice. Default 1."),
      sides: integer(2, 100, "Their sides. Default 6.")
    },
    isReadOnly: false,
    run: (input) =>
      Effect.map(
        Effect.replicateEffect(
          Random.nextIntBetween(1, Math.max(2, countIn(input, "sides", 100, 6)) + 1),
          countIn(input, "count", 10, 1)
        ),
        (rolls) => ({ ...text(rolls.join(", ")), structuredContent: { rolls } })
      )
  },
  echo: {
    description: "Repeats a text.",
    properties: { text: { type: "string", description: "The text." } },
    isReadOnly: true,
    run: (input) => Effect.succeed(text(textAt(input, "text") ?? ""))
  },
  slow: {
    description: "Takes its time.",
    properties: { seconds: integer(1, 60, "How long. Default 3.") },
    isReadOnly: true,
    run: (input) => {
      const seconds = countIn(input, "seconds", 60, 3)
      return Effect.delay(Effect.succeed(text(`This took ${seconds} s.`)), seconds * 1_000)
    }
  },
  failing: {
    description: "Fails.",
    properties: {},
    isReadOnly: true,
    run: () => Effect.succeed(text("This tool always fails.", true))
  }
}

const tools = new Map(Object.entries(sandboxTools))

const listed = [...tools].map(([name, { description, isReadOnly, properties }]) => ({
  name,
  description,
  inputSchema: { type: "object", properties },
  annotations: { readOnlyHint: isReadOnly }
}))

/** The way to the built-in server, in this process: free, offline, without an address. */
export const sendSandbox: Send = ({ body = "" }) => {
  const request = parseJson(body)
  const id = isObject(request) ? request["id"] : null
  return Effect.map(answerTo(request), (answer) => jsonAnswer(JSON.stringify({ jsonrpc: "2.0", id, ...answer })))
}

const answerTo = (request: unknown): Effect.Effect<JsonObject> => {
  const params = objectAt(request, "params")
  if (textAt(request, "method") === "tools/list") {
    return Effect.succeed({ result: { resultType: "complete", tools: listed, ttlMs: 3_600_000, cacheScope: "public" } })
  }
  const tool = tools.get(textAt(params, "name") ?? "")
  if (tool === undefined) return Effect.succeed({ error: { code: -32_602, message: "Unknown tool" } })
  return Effect.map(tool.run(objectAt(params, "arguments") ?? {}), (result) => ({
    result: { resultType: "complete", ...result }
  }))
}

const jsonAnswer = (json: string): Streamed => {
  const chunks = [new TextEncoder().encode(json)]
  return {
    status: 200,
    header: (name) => (name === "content-type" ? "application/json" : undefined),
    read: () => Promise.resolve(chunks.pop())
  }
}
