import { openaiDocs } from "./openai.ts"
import { firstOf, isText, list, responses, rule } from "./rule.ts"

rule(
  "responses.max_output_tokens",
  responses,
  "documented",
  "2025-05",
  `${openaiDocs}/reference/resources/responses`,
  "16 at least",
  (ask) =>
    ask.body.max_output_tokens < 16 && ask.body.max_output_tokens !== null
      ? {
          says: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${ask.body.max_output_tokens} instead.`,
          param: "max_output_tokens",
          code: "integer_below_min_value"
        }
      : undefined
)

rule(
  "responses.tool-pairs",
  responses,
  "tracker",
  "2026-07",
  "https://github.com/continuedev/continue/issues/10092; https://github.com/james-6-23/codex2api/issues/414; https://github.com/Azure/azure-sdk-for-python/issues/46092",
  "every call has its output, every output its call",
  (ask) => {
    if (isText(ask.body.previous_response_id) || ask.body.conversation !== undefined) return undefined
    const calls = new Set<string>()
    const outputs = new Set<string>()
    for (const { call_id, type } of list(ask.body.input)) {
      if (type === "function_call" || type === "custom_tool_call") calls.add(call_id)
      if (type === "function_call_output" || type === "custom_tool_call_output") outputs.add(call_id)
    }
    const lost = [...outputs].find((id) => !calls.has(id))
    if (lost !== undefined)
      return { says: `No tool call found for function call output with call_id ${lost}.`, param: "input", code: null }
    const open = [...calls].find((id) => !outputs.has(id))
    return open === undefined
      ? undefined
      : { says: `No tool output found for function call ${open}.`, param: "input", code: null }
  }
)

rule(
  "responses.item-id",
  responses,
  "tracker",
  "2026-07",
  "https://github.com/Wei-Shaw/sub2api/issues/3785 and 3981; https://github.com/nodetool-ai/nodetool/pull/4252; https://github.com/jlcodes99/cockpit-tools/issues/2090",
  "ids begin with msg, fc, ctc, rs, and are never empty",
  (ask) =>
    firstOf(list(ask.body.input), ({ id, role, type }, index) => {
      if (id === undefined || id === null) return undefined
      const kind = type ?? (role === undefined ? "" : "message")
      const start = {
        message: role === "assistant" ? "msg" : undefined,
        function_call: "fc",
        custom_tool_call: "ctc",
        reasoning: "rs",
        web_search_call: "ws"
      }[kind as string]
      const param = `input[${index}].id`
      if (!/^[\w-]+$/.test(id))
        return {
          says: `Invalid '${param}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
          param,
          code: "invalid_value"
        }
      if (id.length > 64)
        return {
          says: `Invalid '${param}': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
          param,
          code: "string_above_max_length"
        }
      return start !== undefined && !id.startsWith(start)
        ? {
            says: `Invalid '${param}': '${id}'. Expected an ID that begins with '${start}'.`,
            param,
            code: "invalid_value"
          }
        : undefined
    })
)

rule(
  "responses.call-id",
  responses,
  "tracker",
  "2025-10",
  "https://github.com/Wei-Shaw/sub2api/issues/3785",
  "call_id has 64 characters at most, and is not empty",
  (ask) =>
    firstOf(list(ask.body.input), ({ call_id }, index) =>
      call_id === ""
        ? {
            says: `Invalid 'input[${index}].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
            param: `input[${index}].call_id`,
            code: "empty_string"
          }
        : isText(call_id) && call_id.length > 64
          ? {
              says: `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${call_id.length} instead.`,
              param: `input[${index}].call_id`,
              code: "string_above_max_length"
            }
          : undefined
    )
)

rule(
  "responses.reasoning-pairs",
  responses,
  "tracker",
  "2025-08",
  "https://github.com/openai/openai-agents-js/issues/326; https://github.com/vercel/ai/issues/7099; https://github.com/mastra-ai/mastra/issues/14048",
  "reasoning is followed by what it led to",
  (ask) =>
    firstOf(list(ask.body.input), (item, index) => {
      const next = list(ask.body.input)[index + 1]
      if (item.type !== "reasoning") return undefined
      const follows =
        next !== undefined &&
        (next.role === "assistant" || next.type === "reasoning" || String(next.type).endsWith("_call"))
      return follows
        ? undefined
        : {
            says: `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
            param: "input",
            code: null
          }
    })
)

rule(
  "responses.reasoning-signature",
  responses,
  "tracker",
  "2025-12",
  "https://github.com/openai/codex/issues/8145; https://github.com/Wei-Shaw/sub2api/issues/2863",
  "encrypted reasoning is this place's own",
  (ask) =>
    firstOf(list(ask.body.input), ({ encrypted_content, type }) =>
      type === "reasoning" && isText(encrypted_content) && ask.knows?.(encrypted_content) === false
        ? {
            says: `The encrypted content ${encrypted_content.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
            param: null as never,
            code: "invalid_encrypted_content"
          }
        : undefined
    )
)

rule(
  "responses.content",
  responses,
  "documented",
  "2025-05",
  `${openaiDocs}/reference/resources/responses`,
  "input_text is the user's, output_text the assistant's",
  (ask) =>
    firstOf(list(ask.body.input), ({ content, role }, index) => {
      const known =
        role === "assistant"
          ? ["output_text", "refusal"]
          : ["input_text", "input_image", "output_text", "refusal", "input_file", "computer_screenshot", "summary_text"]
      const bad = role === undefined ? -1 : list(content).findIndex(({ type }) => !known.includes(type))
      return bad === -1
        ? undefined
        : {
            says: `Invalid value: '${content[bad].type}'. Supported values are: ${known.map((name) => `'${name}'`).join(role === "assistant" ? " and " : ", ")}.`,
            param: `input[${index}].content[${bad}]`,
            code: "invalid_value"
          }
    })
)

rule(
  "responses.encrypted",
  responses,
  "documented",
  "2025-08",
  `${openaiDocs}/docs/guides/reasoning`,
  "encrypted reasoning of a model that reasons alone",
  (ask) =>
    list(ask.body.include).includes("reasoning.encrypted_content") && /^gpt-(3|4)/.test(ask.model)
      ? { says: "Encrypted content is not supported with this model.", param: "include", code: null }
      : undefined
)

rule(
  "azure.version",
  ["azure-chat", "azure-responses"],
  "documented",
  "2026-11",
  "https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle",
  "deployments' paths need api-version",
  (ask) =>
    ask.path.includes("/deployments/") && !ask.query.has("api-version")
      ? { says: "Resource not found", status: 404, code: "404" }
      : undefined
)
