import type { Any, Ask, Place } from "./rule.ts"
import { eventStream, fresh, inputTokensOf, sse, thought, usual } from "./said.ts"
import type { Said } from "./said.ts"

/** The names by which places tell a model's thoughts. */
const thoughts: Partial<Record<Place, string>> = {
  deepseek: "reasoning_content",
  vllm: "reasoning_content",
  groq: "reasoning",
  cerebras: "reasoning"
}

export const chatAnswer = (ask: Ask, said: Said): Response => {
  const idOf = () => (ask.place === "mistral" ? fresh("c").padEnd(9, "x") : fresh("call_strict"))
  const tool_calls = said.calls.map(({ input, name }, index) => ({
    index,
    id: idOf(),
    type: "function",
    function: { name, arguments: JSON.stringify(input) }
  }))
  const reasoning = thoughts[ask.place]
  const message = {
    role: "assistant",
    content: tool_calls.length === 0 ? (said.text ?? usual) : null,
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(reasoning !== undefined && { [reasoning]: thought })
  }
  const base = { id: fresh("chatcmpl-strict"), created: 1, model: ask.model }
  const prompt_tokens = inputTokensOf(said)
  const usage = { prompt_tokens, completion_tokens: 8, total_tokens: prompt_tokens + 8 }
  const finish_reason = tool_calls.length === 0 ? "stop" : "tool_calls"
  if (!ask.stream) {
    const choices = [{ index: 0, message, finish_reason }]
    return Response.json({ ...base, object: "chat.completion", choices, usage })
  }
  const chunk = (more: Any) => sse({ ...base, object: "chat.completion.chunk", ...more })
  const choice = (delta: Any, finish_reason: string | null) => chunk({ choices: [{ index: 0, delta, finish_reason }] })
  return eventStream(
    `${choice(message, null)}${choice({}, finish_reason)}${chunk({ choices: [], usage })}data: [DONE]\n\n`
  )
}
