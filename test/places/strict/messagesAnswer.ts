import { awsFrame } from "./awsFrame.ts"
import type { Any, Ask } from "./rule.ts"
import { awsStream, eventStream, fresh, inputTokensOf, signatureOf, sse, thinksOf, thought, usual } from "./said.ts"
import type { Said } from "./said.ts"

const deltasOf = (block: Any): ReadonlyArray<Any> => {
  if (block.type === "text") return [{ type: "text_delta", text: block.text }]
  if (block.type === "tool_use") return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }]
  return [
    { type: "thinking_delta", thinking: block.thinking },
    { type: "signature_delta", signature: block.signature }
  ]
}

const opened = (block: Any) => {
  if (block.type === "text") return { ...block, text: "" }
  return block.type === "tool_use" ? { ...block, input: {} } : { ...block, thinking: "", signature: "" }
}

export const messagesAnswer = (ask: Ask, said: Said): Response => {
  const input_tokens = inputTokensOf(said)
  if (/count[-_]tokens/.test(ask.path))
    return Response.json(ask.place === "bedrock-invoke" ? { inputTokens: input_tokens } : { input_tokens })
  const content: ReadonlyArray<Any> = [
    ...(thinksOf(ask) ? [{ type: "thinking", thinking: thought, signature: signatureOf(ask.place) }] : []),
    ...(said.calls.length === 0 ? [{ type: "text", text: said.text ?? usual }] : []),
    ...said.calls.map(({ input, name }) => ({ type: "tool_use", id: fresh("toolu_strict"), name, input }))
  ]
  const stop_reason = said.calls.length === 0 ? "end_turn" : "tool_use"
  const usage = { input_tokens, output_tokens: 8 }
  const message = {
    id: fresh("msg_strict"),
    type: "message",
    role: "assistant",
    model: ask.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage
  }
  if (!ask.stream) return Response.json(message)
  const events: ReadonlyArray<Any> = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: opened(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index }
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" }
  ]
  return ask.place === "bedrock-invoke"
    ? awsStream(
        events.map((event) => awsFrame("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") }))
      )
    : eventStream(events.map((event) => sse(event, event.type)).join(""))
}
