import type { Any, Ask, Place } from "./rule.ts"

export type Call = { readonly name: string; readonly input: Any }

/** One turn of a model: its calls, or a text. */
export type Said = { readonly text?: string; readonly calls: ReadonlyArray<Call>; readonly inputTokens?: number }

export const signatureOf = (place: Place): string => Buffer.from(`strict signature of ${place}`).toString("base64")

/** Whether a signature is the place's own; its answers have no others. */
export const knowsOf =
  (place: Place) =>
  (signature: string): boolean =>
    signature === signatureOf(place)

export const thought = "A thought."

export const usual = "Hello from a strict place."

export const inputTokensOf = ({ inputTokens = 12 }: Said): number => inputTokens

let count = 0

/** Each answer has ids of its own. */
export const fresh = (prefix: string): string => `${prefix}${++count}`

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

/** The tools that a request offers, by their names. */
export const offeredIn = ({ body }: Ask): ReadonlyMap<string, Any> => {
  const offered = new Map<string, Any>()
  const add = (tools: Any) => {
    for (const tool of list(tools)) {
      for (const name of [tool.name, tool.function?.name, tool.toolSpec?.name])
        if (name !== undefined) offered.set(name, tool)
      add(tool.functionDeclarations ?? tool.tools)
    }
  }
  add(body.tools ?? body.toolConfig?.tools)
  for (const item of list(body.input)) if (item.type === "additional_tools") add(item.tools)
  return offered
}

/** The first of `calls` that was offered, until a result has come. */
export const cannedFor = (ask: Ask, calls: ReadonlyArray<Call>): Said => {
  const text = JSON.stringify(ask.body.messages ?? ask.body.input ?? ask.body.contents ?? "")
  const isAnswered =
    /"(tool_result|toolResult|functionResponse|function_call_output|custom_tool_call_output)"|"role":"tool"/.test(text)
  const offered = offeredIn(ask)
  return { calls: isAnswered ? [] : calls.filter(({ name }) => offered.has(name)).slice(0, 1) }
}

export const thinksOf = ({ body, place }: Ask): boolean =>
  ["enabled", "adaptive"].includes((body.thinking ?? body.additionalModelRequestFields?.thinking)?.type) ||
  place.endsWith("gemini") ||
  place.endsWith("responses")

export const sse = (event: Any, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`

export const eventStream = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/event-stream" } })

export const awsStream = (frames: ReadonlyArray<Uint8Array>): Response =>
  new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream" } })
