import data from "./data.json"
import { deserialize } from "./elsewhere.ts"
import { firstOf, isText, list, rule, stranger } from "./rule.ts"

rule(
  "deepseek.content",
  ["deepseek"],
  "tracker",
  "2026-05",
  "https://github.com/1jehuang/jcode/issues/310; https://github.com/rikkahub/rikkahub/issues/1433",
  "texts alone",
  (ask) =>
    firstOf(list(ask.body.messages), ({ content, role }, index) =>
      !["system", "user", "assistant", "tool"].includes(role)
        ? deserialize(
            `messages[${index}].role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``
          )
        : firstOf(list(content), ({ type }) =>
            type === "text"
              ? undefined
              : deserialize(`messages[${index}]: unknown variant \`${type}\`, expected \`text\``)
          )
    )
)

rule(
  "deepseek.reasoning-back",
  ["deepseek"],
  "documented",
  "2026-04",
  "https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/earendil-works/pi/issues/3636",
  "while thinking, a turn with calls comes back with its reasoning_content",
  (ask) => {
    const on = ask.body.thinking?.type !== "disabled" && !/chat/.test(ask.model)
    const bad = list(ask.body.messages).some(
      ({ reasoning_content, role, tool_calls }) =>
        role === "assistant" && list(tool_calls).length > 0 && !isText(reasoning_content)
    )
    return on && bad
      ? {
          says: "The reasoning_content in the thinking mode must be passed back to the API.",
          code: "invalid_request_error"
        }
      : undefined
  }
)

rule(
  "deepseek.format",
  ["deepseek"],
  "tracker",
  "2026-05",
  "https://api-docs.deepseek.com/guides/json_mode",
  "json_object alone, with the word json",
  (ask) => {
    const type = ask.body.response_format?.type
    if (type === "json_schema")
      return { says: "This response_format type is unavailable now", code: "invalid_request_error" }
    return type === "json_object" && !JSON.stringify(ask.body.messages).toLowerCase().includes("json")
      ? {
          says: "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
          code: "invalid_request_error"
        }
      : undefined
  }
)

rule(
  "deepseek.forced-tool",
  ["deepseek"],
  "tracker",
  "2026-08",
  "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376; https://github.com/tickernelz/opencode-mem/issues/253",
  "while thinking, no forced tool",
  (ask) => {
    const choice = ask.body.tool_choice
    const forced = choice === "required" || typeof choice === "object"
    return forced && choice !== null && ask.body.thinking?.type !== "disabled" && !/chat/.test(ask.model)
      ? { says: "Thinking mode does not support this tool_choice", code: "invalid_request_error" }
      : undefined
  }
)

rule(
  "deepseek.max_tokens",
  ["deepseek"],
  "documented",
  "2025-12",
  "https://api-docs.deepseek.com/api/create-chat-completion",
  "max_tokens from 1 on",
  (ask) =>
    ask.body.max_tokens !== undefined && ask.body.max_tokens !== null && ask.body.max_tokens < 1
      ? {
          says: "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]",
          code: "invalid_request_error"
        }
      : undefined
)

rule(
  "groq.field",
  ["groq"],
  "documented",
  "2026-11",
  "https://console.groq.com/docs/openai; https://github.com/fanenr/chatbot/issues/21",
  "an unknown field; logprobs, logit_bias, top_logprobs",
  (ask) => {
    const field = stranger(ask.body, data.fields.groq)
    return field === undefined ? undefined : `property '${field}' is unsupported`
  }
)

rule(
  "groq.message-field",
  ["groq"],
  "tracker",
  "2026-09",
  "https://github.com/vellum-ai/vellum-assistant/pull/42635; https://github.com/tashfeenahmed/freellmapi/issues/1070",
  "an unknown field of a message (reasoning_content)",
  (ask) =>
    firstOf(list(ask.body.messages), (message, index) => {
      const field = stranger(message, data.fields.groqMessage)
      return field === undefined
        ? undefined
        : `'messages.${index}' : for 'role:${message.role}' the following must be satisfied[('messages.${index}' : property '${field}' is unsupported)]`
    })
)

rule(
  "groq.json-with-tools",
  ["groq"],
  "tracker",
  "2026-07",
  "https://github.com/vercel/ai/pull/16540; https://github.com/agno-agi/agno/issues/1065",
  "no JSON beside tools",
  (ask) =>
    ["json_object", "json_schema"].includes(ask.body.response_format?.type) && list(ask.body.tools).length > 0
      ? "json mode cannot be combined with tool/function calling"
      : undefined
)

rule("groq.n", ["groq"], "documented", "2026-11", "https://console.groq.com/docs/openai", "n is 1", (ask) =>
  ask.body.n > 1 ? "'n' : number must be at most 1" : undefined
)

rule(
  "groq.effort",
  ["groq"],
  "documented",
  "2026-11",
  "https://console.groq.com/docs/reasoning",
  "efforts by model",
  (ask) => {
    const effort = ask.body.reasoning_effort
    if (effort === undefined || effort === null) return undefined
    if (/qwen/.test(ask.model))
      return ["none", "default"].includes(effort) ? undefined : "`reasoning_effort` must be one of `none` or `default`"
    if (/gpt-oss/.test(ask.model))
      return ["low", "medium", "high"].includes(effort)
        ? undefined
        : "`reasoning_effort` must be one of `low`, `medium`, or `high`"
    return "reasoning_effort is not supported with this model"
  }
)

rule(
  "mistral.field",
  ["mistral"],
  "tracker",
  "2026-06",
  "https://github.com/BerriAI/litellm/issues/30835; https://docs.mistral.ai/api",
  "an unknown field",
  (ask) => {
    const field = stranger(ask.body, data.fields.mistral)
    return field === undefined
      ? undefined
      : { says: "Extra inputs are not permitted", status: 422, type: "extra_forbidden", loc: ["body", field] }
  }
)

rule(
  "mistral.message-field",
  ["mistral"],
  "tracker",
  "2026-06",
  "https://github.com/charmbracelet/crush/issues/1590; https://github.com/BerriAI/litellm/issues/30835",
  "an unknown field of a message (reasoning_content)",
  (ask) =>
    firstOf(list(ask.body.messages), (message, index) => {
      const field = stranger(message, data.fields.mistralMessage)
      return field === undefined
        ? undefined
        : {
            says: "Extra inputs are not permitted",
            status: 422,
            type: "extra_forbidden",
            loc: ["body", "messages", index, message.role, field]
          }
    })
)

rule(
  "mistral.role",
  ["mistral"],
  "tracker",
  "2026-06",
  "https://docs.mistral.ai/api",
  "system, user, assistant, tool",
  (ask) =>
    firstOf(list(ask.body.messages), ({ role }, index) =>
      ["system", "user", "assistant", "tool"].includes(role)
        ? undefined
        : {
            says: `Input tag '${role}' found using 'role' does not match any of the expected tags: 'assistant', 'system', 'tool', 'user'`,
            status: 422,
            type: "union_tag_invalid",
            loc: ["body", "messages", index]
          }
    )
)

rule(
  "mistral.call-id",
  ["mistral"],
  "tracker",
  "2026-03",
  "https://github.com/nearai/ironclaw/issues/1241; https://github.com/anomalyco/opencode/issues/1680",
  "ids of calls are nine letters or digits",
  (ask) =>
    firstOf(list(ask.body.messages), ({ tool_call_id, tool_calls }) =>
      firstOf([tool_call_id, ...list(tool_calls).map(({ id }) => id)], (id) =>
        isText(id) && !/^[a-zA-Z0-9]{9}$/.test(id)
          ? {
              says: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
              type: "invalid_function_call",
              code: "3280"
            }
          : undefined
      )
    )
)
