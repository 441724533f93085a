import { awsFrame } from "./awsFrame.ts"
import type { Any, Ask, Place } from "./rule.ts"

const signatureOf = (place: Place): string => Buffer.from(`strict signature of ${place}`).toString("base64")
/** Whether a signature is the place's own; the canned answers have no others. */
export const knowsOf =
  (place: Place) =>
  (signature: string): boolean =>
    signature === signatureOf(place)
export type Call = { readonly name: string; readonly input: Any }
type Wire = "messages" | "converse" | "gemini" | "responses" | "chat"
const wireOf = (place: Place): Wire =>
  place === "bedrock-converse"
    ? "converse"
    : place.endsWith("gemini")
      ? "gemini"
      : place.endsWith("responses")
        ? "responses"
        : place.includes("claude") || place === "anthropic" || place.startsWith("bedrock")
          ? "messages"
          : "chat"

/** The call that the canned answer makes: the first of `calls` that was offered, until a result has come. */
const callFor = ({ body, place }: Ask, calls: ReadonlyArray<Call>): Call | undefined => {
  const text = JSON.stringify(body.messages ?? body.input ?? body.contents ?? "")
  if (
    /"(tool_result|toolResult|functionResponse|function_call_output|custom_tool_call_output)"|"role":"tool"/.test(text)
  )
    return undefined
  const offered = new Set<string>()
  const add = (tools: Any) => {
    for (const tool of Array.isArray(tools) ? tools : []) {
      for (const name of [tool.name, tool.function?.name, tool.toolSpec?.name])
        if (name !== undefined) offered.add(name)
      add(tool.functionDeclarations ?? tool.tools)
    }
  }
  add(body.tools ?? body.toolConfig?.tools)
  return place === undefined ? undefined : calls.find(({ name }) => offered.has(name))
}
const thinksOf = ({ body, place }: Ask): boolean =>
  ["enabled", "adaptive"].includes((body.thinking ?? body.additionalModelRequestFields?.thinking)?.type) ||
  place.endsWith("gemini") ||
  place.endsWith("responses")
const text = "Hello from a strict place."
const usage = { input_tokens: 12, output_tokens: 8 }

const sse = (event: Any, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`

const messagesAnswer = (ask: Ask, call: Call | undefined): Response => {
  if (/count[-_]tokens/.test(ask.path))
    return Response.json(ask.place === "bedrock-invoke" ? { inputTokens: 12 } : { input_tokens: 12 })
  const content: Array<Any> = [
    ...(thinksOf(ask) ? [{ type: "thinking", thinking: "A thought.", signature: signatureOf(ask.place) }] : []),
    ...(call === undefined
      ? [{ type: "text", text }]
      : [{ type: "tool_use", id: `toolu_strict${++count}`, name: call.name, input: call.input }])
  ]
  const stop = call === undefined ? "end_turn" : "tool_use"
  const message = {
    id: `msg_strict${++count}`,
    type: "message",
    role: "assistant",
    model: ask.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage
  }
  if (!ask.stream) return Response.json(message)
  const deltas = (block: Any): ReadonlyArray<Any> =>
    block.type === "text"
      ? [{ type: "text_delta", text: block.text }]
      : block.type === "tool_use"
        ? [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }]
        : [
            { type: "thinking_delta", thinking: block.thinking },
            { type: "signature_delta", signature: block.signature }
          ]
  const opened = (block: Any) =>
    block.type === "text"
      ? { ...block, text: "" }
      : block.type === "tool_use"
        ? { ...block, input: {} }
        : { ...block, thinking: "", signature: "" }
  const events: Array<Any> = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: opened(block) },
      ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index }
    ]),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: "message_stop" }
  ]
  if (ask.place !== "bedrock-invoke")
    return new Response(events.map((event) => sse(event, event.type)).join(""), {
      headers: { "content-type": "text/event-stream" }
    })
  return new Response(
    Buffer.concat(
      events.map((event) => awsFrame("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") }))
    ),
    { headers: { "content-type": "application/vnd.amazon.eventstream" } }
  )
}
const converseAnswer = (ask: Ask, call: Call | undefined): Response => {
  const toolUseId = `tooluse_strict${++count}`
  const thought = thinksOf(ask)
    ? [{ reasoningContent: { reasoningText: { text: "A thought.", signature: signatureOf(ask.place) } } }]
    : []
  const content: Array<Any> = [
    ...thought,
    call === undefined ? { text } : { toolUse: { toolUseId, name: call.name, input: call.input } }
  ]
  const stopReason = call === undefined ? "end_turn" : "tool_use"
  const bill = { usage: { inputTokens: 12, outputTokens: 8, totalTokens: 20 }, metrics: { latencyMs: 5 } }
  if (!ask.stream) return Response.json({ output: { message: { role: "assistant", content } }, stopReason, ...bill })
  const frames: Array<Uint8Array> = [awsFrame("messageStart", { role: "assistant" })]
  content.forEach((block, contentBlockIndex) => {
    if (block.toolUse !== undefined)
      frames.push(
        awsFrame("contentBlockStart", {
          contentBlockIndex,
          start: { toolUse: { toolUseId, name: block.toolUse.name } }
        })
      )
    const deltas: ReadonlyArray<Any> =
      block.text !== undefined
        ? [{ text: block.text }]
        : block.toolUse !== undefined
          ? [{ toolUse: { input: JSON.stringify(block.toolUse.input) } }]
          : [{ reasoningContent: { text: "A thought." } }, { reasoningContent: { signature: signatureOf(ask.place) } }]
    for (const delta of deltas) frames.push(awsFrame("contentBlockDelta", { contentBlockIndex, delta }))
    frames.push(awsFrame("contentBlockStop", { contentBlockIndex }))
  })
  frames.push(awsFrame("messageStop", { stopReason }), awsFrame("metadata", bill))
  return new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream" } })
}
const geminiAnswer = (ask: Ask, call: Call | undefined): Response => {
  if (/countTokens/.test(ask.path)) return Response.json({ totalTokens: 12 })
  const thoughtSignature = signatureOf(ask.place)
  const id = ask.place === "vertex-gemini" && /gemini-2/.test(ask.model) ? {} : { id: `strict${++count}` }
  const part =
    call === undefined
      ? { text, thoughtSignature }
      : { functionCall: { ...id, name: call.name, args: call.input }, thoughtSignature }
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 8, totalTokenCount: 20 },
    modelVersion: ask.model,
    responseId: `strict${++count}`
  }
  return ask.stream
    ? new Response(sse(answer).replaceAll("\n", "\r\n"), { headers: { "content-type": "text/event-stream" } })
    : Response.json(answer)
}
const responsesAnswer = (ask: Ask, call: Call | undefined): Response => {
  const id = `resp_strict${++count}`
  const reasoning = {
    id: `rs_strict${++count}`,
    type: "reasoning",
    summary: [],
    encrypted_content: signatureOf(ask.place)
  }
  const item: Any =
    call === undefined
      ? {
          id: `msg_strict${++count}`,
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text, annotations: [] }]
        }
      : {
          id: `fc_strict${++count}`,
          type: "function_call",
          status: "completed",
          call_id: `call_strict${count}`,
          name: call.name,
          arguments: JSON.stringify(call.input)
        }
  const output = ask.body.reasoning === undefined ? [item] : [reasoning, item]
  const response = {
    id,
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    model: ask.model,
    output,
    parallel_tool_calls: true,
    tools: [],
    tool_choice: "auto",
    temperature: 1,
    top_p: 1,
    metadata: {},
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 8,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20
    }
  }
  if (!ask.stream) return Response.json(response)
  const started = { ...response, status: "in_progress", output: [], usage: null }
  const inner = (at: Any, output_index: number): ReadonlyArray<Any> =>
    at.type === "message"
      ? [
          {
            type: "response.content_part.added",
            item_id: at.id,
            output_index,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] }
          },
          { type: "response.output_text.delta", item_id: at.id, output_index, content_index: 0, delta: text },
          { type: "response.output_text.done", item_id: at.id, output_index, content_index: 0, text },
          { type: "response.content_part.done", item_id: at.id, output_index, content_index: 0, part: at.content[0] }
        ]
      : at.type === "function_call"
        ? [
            { type: "response.function_call_arguments.delta", item_id: at.id, output_index, delta: at.arguments },
            { type: "response.function_call_arguments.done", item_id: at.id, output_index, arguments: at.arguments }
          ]
        : []
  const events: ReadonlyArray<Any> = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...output.flatMap((at, output_index) => [
      {
        type: "response.output_item.added",
        output_index,
        item:
          at.type === "message"
            ? { ...at, status: "in_progress", content: [] }
            : at.type === "function_call"
              ? { ...at, status: "in_progress", arguments: "" }
              : at
      },
      ...inner(at, output_index),
      { type: "response.output_item.done", output_index, item: at }
    ]),
    { type: "response.completed", response }
  ]
  return new Response(events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type)).join(""), {
    headers: { "content-type": "text/event-stream" }
  })
}
const chatAnswer = (ask: Ask, call: Call | undefined): Response => {
  const id = ask.place === "mistral" ? `c${(++count).toString().padStart(8, "0")}` : `call_strict${++count}`
  const tool_calls =
    call === undefined
      ? undefined
      : [{ index: 0, id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } }]
  const message = {
    role: "assistant",
    content: call === undefined ? text : null,
    ...(tool_calls !== undefined && { tool_calls }),
    ...(ask.place === "deepseek" && { reasoning_content: "A thought." })
  }
  const base = { id: `chatcmpl-strict${count}`, created: 1, model: ask.model }
  const bill = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 }
  const finish_reason = call === undefined ? "stop" : "tool_calls"
  if (!ask.stream)
    return Response.json({
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage: bill
    })
  const chunk = (delta: Any, finish: string | null = null) =>
    sse({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })
  return new Response(
    `${chunk(message)}${chunk({}, finish_reason)}${sse({ ...base, object: "chat.completion.chunk", choices: [], usage: bill })}data: [DONE]\n\n`,
    { headers: { "content-type": "text/event-stream" } }
  )
}
const answers: Readonly<Record<Wire, (ask: Ask, call: Call | undefined) => Response>> = {
  messages: messagesAnswer,
  converse: converseAnswer,
  gemini: geminiAnswer,
  responses: responsesAnswer,
  chat: chatAnswer
}

/** Each answer has ids of its own. */
let count = 0

/** A canned answer of the place; it makes the first of the calls that was offered. */
export const answerTo = (ask: Ask, calls: ReadonlyArray<Call>): Response => {
  count++
  return answers[wireOf(ask.place)](ask, callFor(ask, calls))
}
