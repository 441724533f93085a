import type { FakeName } from "./fakeUpstream.ts"
import { geminiComplaint } from "./geminiRules.ts"
import { spoken } from "./scenarios.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

/** What the real service would answer 400 to; undefined where it takes the request. */
export const complaint = (name: FakeName, body: Any, model: string = body.model): string | undefined => {
  if (name === "gemini") return geminiComplaint(body, model)
  try {
    rules[name](body)
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

class Refused extends Error {}

const must = (holds: unknown, rule: string): void => {
  if (!holds) throw new Refused(rule)
}

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

const legalName = /^[a-zA-Z0-9_-]{1,64}$/

const messages = (body: Any): void => {
  must(Number.isInteger(body.max_tokens) && body.max_tokens >= 1, "max_tokens: Field required")
  must(list(body.messages).length > 0, "messages: at least one message is required")
  must(body.messages.find((turn: Any) => turn.role !== "system").role === "user", "messages: first must be user")
  const thinks = body.thinking?.type === "enabled"
  if (thinks) {
    must(body.thinking.budget_tokens >= 1024, "thinking.budget_tokens: at least 1024")
    must(body.thinking.budget_tokens < body.max_tokens, "max_tokens: must be greater than thinking.budget_tokens")
    must((body.temperature ?? 1) === 1 && body.top_k === undefined, "temperature: only 1 with thinking")
    must(["auto", "none", undefined].includes(body.tool_choice?.type), "tool_choice: can't force tools with thinking")
  }
  must(body.temperature === undefined || body.top_p === undefined, "temperature and top_p: not both for this model")
  for (const tool of list(body.tools)) {
    must(legalName.test(tool.name), `tools.name: ${tool.name}`)
    if (tool.type === undefined || tool.type === "custom") {
      must(tool.input_schema?.type === "object", "tools.input_schema.type: Field required")
    }
  }
  for (const key of Object.keys(body)) must(messagesFields.has(key), `${key}: Extra inputs are not permitted`)
  const turns = list(body.messages).filter((turn) => turn.role !== "system")
  turns.forEach((turn, index) => {
    const content = typeof turn.content === "string" ? [{ type: "text", text: turn.content }] : list(turn.content)
    must(content.length > 0, `messages.${index}: content must not be empty`)
    const calls = content.filter((block) => block.type === "tool_use")
    const next = list(turns[index + 1]?.content)
    const answered = next.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id)
    for (const call of calls) {
      must(/^[a-zA-Z0-9_-]+$/.test(call.id), `tool_use.id: ${call.id}`)
      must(typeof call.input === "object", "tool_use.input: Input should be a valid dictionary")
      must(answered.includes(call.id), `tool_use ids were found without tool_result blocks: ${call.id}`)
    }
    const before = list(turns[index - 1]?.content)
    content.forEach((block, at) => {
      must(messageBlocks.has(block.type), `messages.${index}.content.${at}.type: ${block.type}`)
      if (block.type === "text") must(block.text !== "", "text content blocks must be non-empty")
      if (block.type === "thinking")
        must(block.signature === spoken.signature, "Invalid `signature` in `thinking` block")
      if (block.type === "tool_result") {
        must(
          before.some((earlier) => earlier.type === "tool_use" && earlier.id === block.tool_use_id),
          `unexpected tool_use_id found in tool_result blocks: ${block.tool_use_id}`
        )
        must(
          content.slice(0, at).every((earlier) => earlier.type === "tool_result"),
          "tool_result blocks must come first"
        )
      }
    })
    const inLoop = index === turns.length - 2 && calls.length > 0
    if (thinks && inLoop) must(content[0].type.endsWith("thinking"), "Expected `thinking`, but found `tool_use`")
  })
}

const messagesFields = new Set(
  (
    "model max_tokens messages system tools tool_choice thinking output_config output_format stream temperature top_p " +
    "top_k stop_sequences metadata service_tier container context_management mcp_servers speed cache_control diagnostics"
  ).split(" ")
)
const messageBlocks = new Set(
  (
    "text image document thinking redacted_thinking tool_use tool_result server_tool_use web_search_tool_result " +
    "search_result container_upload"
  ).split(" ")
)

const responses = (body: Any): void => {
  must(body.store === false && body.previous_response_id === undefined, "store: the gateway keeps the state")
  must(typeof body.input === "string" || list(body.input).length > 0, "input: empty")
  for (const key of Object.keys(body)) must(responsesFields.has(key), `Unknown parameter: '${key}'.`)
  const reasons = (body.reasoning?.effort ?? "none") !== "none"
  if (reasons) must(body.temperature === undefined, "Unsupported parameter: 'temperature' with this model.")
  must((body.max_output_tokens ?? 16) >= 16, "max_output_tokens: minimum is 16")
  const names = list(body.tools).flatMap((tool) => (tool.type === "namespace" ? list(tool.tools) : [tool]))
  for (const tool of names) {
    if (tool.type !== "function" && tool.type !== "custom") continue
    must(legalName.test(tool.name), `tools.name: ${tool.name}`)
    if (tool.type === "function") must(tool.parameters?.type === "object", "tools.parameters: schema must be an object")
  }
  const called = new Map<string, string>()
  const input = list(body.input)
  input.forEach((item, index) => {
    must(inputItems.has(item.type ?? "message"), `input[${index}].type: ${item.type}`)
    must(
      item.type === "web_search_call" || !("id" in item) || /^[a-z]+_/.test(item.id),
      `input[${index}].id: ${item.id}`
    )
    if (item.type === "function_call" || item.type === "custom_tool_call") called.set(item.call_id, item.type)
    if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      const call = called.get(item.call_id)
      must(call !== undefined, `No tool call found for function call output with call_id ${item.call_id}.`)
      must(`${call}_output` === item.type, `a ${call} is answered by a ${item.type}`)
      called.set(item.call_id, "answered")
    }
    if (item.type === "reasoning") {
      must(item.encrypted_content === spoken.encrypted, `Item '${item.id}' of type 'reasoning' could not be verified`)
      must(Array.isArray(item.summary), "reasoning.summary: required")
      const next = input[index + 1]
      must(
        next !== undefined &&
          (next.role === "assistant" || String(next.type).endsWith("_call") || next.type === "reasoning"),
        "Item of type 'reasoning' was provided without its required following item."
      )
    }
    if (item.role !== undefined) {
      const parts = typeof item.content === "string" ? [] : list(item.content)
      const kinds = item.role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"]
      for (const part of parts) must(kinds.includes(part.type), `input[${index}].content: ${part.type}`)
    }
  })
  for (const [id, state] of called) must(state === "answered", `No tool output found for function call ${id}.`)
}

const responsesFields = new Set(
  (
    "model input instructions include max_output_tokens max_tool_calls metadata parallel_tool_calls prompt_cache_key " +
    "prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text " +
    "tool_choice tools top_logprobs top_p truncation user context_management client_metadata"
  ).split(" ")
)
const inputItems = new Set(
  (
    "message function_call function_call_output custom_tool_call custom_tool_call_output reasoning web_search_call " +
    "compaction local_shell_call local_shell_call_output"
  ).split(" ")
)

/** vLLM's rules, and its chat templates'. */
const chat = (body: Any): void => {
  must(list(body.messages).length > 0, "messages: empty")
  for (const tool of list(body.tools)) {
    must(tool.type === "function" && legalName.test(tool.function.name), `tools: ${JSON.stringify(tool)}`)
    must(
      tool.function.parameters === undefined || tool.function.parameters.type === "object",
      "tools.function.parameters: schema must be an object"
    )
  }
  let open = new Set<string>()
  list(body.messages).forEach((message, index) => {
    must(["system", "developer", "user", "assistant", "tool"].includes(message.role), `role: ${message.role}`)
    must(!["system", "developer"].includes(message.role) || index === 0, "System message must be at the beginning.")
    if (message.role === "tool") {
      must(open.delete(message.tool_call_id), `no tool call for the tool message ${message.tool_call_id}`)
      must(
        typeof message.content === "string" || list(message.content).every(({ type }) => type === "text"),
        "tool content: text only"
      )
      return
    }
    must(open.size === 0, "tool calls must be followed by tool messages")
    open = new Set(list(message.tool_calls).map((call) => call.id))
    for (const call of list(message.tool_calls)) {
      must(legalName.test(call.function.name), `tool_calls.function.name: ${call.function.name}`)
      must(typeof JSON.parse(call.function.arguments) === "object", "tool_calls.function.arguments: not JSON")
    }
    must(message.content !== null || open.size > 0, "content: null without tool calls")
    const kinds = ["text", "image_url", "file", "input_audio"]
    for (const part of list(message.content)) must(kinds.includes(part.type), `content.type: ${part.type}`)
  })
  must(open.size === 0, "tool calls must be followed by tool messages")
}

const rules: Readonly<Record<Exclude<FakeName, "gemini">, (body: Any) => void>> = {
  "anthropic-messages": messages,
  "openai-responses": responses,
  "openai-chat": chat
}
