import type { Any, Ask } from "./rule.ts"
import { eventStream, fresh, inputTokensOf, offeredIn, signatureOf, sse, usual } from "./said.ts"
import type { Call, Said } from "./said.ts"

const itemOf = ({ input, name }: Call, tool: Any): Any => {
  const call = { status: "completed", call_id: fresh("call_strict"), name }
  return tool?.type === "custom"
    ? { ...call, id: fresh("ctc_strict"), type: "custom_tool_call", input: input.input }
    : { ...call, id: fresh("fc_strict"), type: "function_call", arguments: JSON.stringify(input) }
}

const within = (item: Any, output_index: number): ReadonlyArray<Any> => {
  const at = { item_id: item.id, output_index }
  if (item.type === "message") {
    const [part] = item.content
    const inPart = { ...at, content_index: 0 }
    return [
      { type: "response.content_part.added", ...inPart, part: { ...part, text: "" } },
      { type: "response.output_text.delta", ...inPart, delta: part.text },
      { type: "response.output_text.done", ...inPart, text: part.text },
      { type: "response.content_part.done", ...inPart, part }
    ]
  }
  if (item.type === "custom_tool_call")
    return [
      { type: "response.custom_tool_call_input.delta", ...at, delta: item.input },
      { type: "response.custom_tool_call_input.done", ...at, input: item.input }
    ]
  return item.type === "function_call"
    ? [
        { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
        { type: "response.function_call_arguments.done", ...at, arguments: item.arguments }
      ]
    : []
}

const emptied: Readonly<Record<string, Any>> = {
  message: { content: [] },
  function_call: { arguments: "" },
  custom_tool_call: { input: "" }
}

/** A conversation in short, as the place alone reads it. */
const compaction = ({ place }: Ask): Any => ({
  id: fresh("cmp_strict"),
  type: "compaction",
  encrypted_content: signatureOf(place)
})

export const responsesAnswer = (ask: Ask, said: Said): Response => {
  const offered = offeredIn(ask)
  const reasoning = {
    id: fresh("rs_strict"),
    type: "reasoning",
    summary: [],
    encrypted_content: signatureOf(ask.place)
  }
  const content = [{ type: "output_text", text: said.text ?? usual, annotations: [] }]
  const output: ReadonlyArray<Any> = [
    ...(ask.body.reasoning === undefined ? [] : [reasoning]),
    ...(said.calls.length === 0
      ? [{ id: fresh("msg_strict"), type: "message", status: "completed", role: "assistant", content }]
      : said.calls.map((call) => itemOf(call, offered.get(call.name))))
  ]
  const input_tokens = inputTokensOf(said)
  const response = {
    id: fresh("resp_strict"),
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
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 8,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + 8
    }
  }
  if (ask.path.endsWith("/compact"))
    return Response.json({ ...response, object: "response.compaction", output: [compaction(ask)] })
  if (!ask.stream) return Response.json(response)
  const started = { ...response, status: "in_progress", output: [], usage: null }
  const events: ReadonlyArray<Any> = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...output.flatMap((item, output_index) => {
      const empty = emptied[item.type]
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: empty === undefined ? item : { ...item, status: "in_progress", ...empty }
        },
        ...within(item, output_index),
        { type: "response.output_item.done", output_index, item }
      ]
    }),
    { type: "response.completed", response }
  ]
  return eventStream(events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type)).join(""))
}
