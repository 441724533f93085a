import data from "./data.json"
import {
  effortOf,
  fixed,
  gptVersion,
  itemsComplaint,
  kindOf,
  openaiDocs,
  strictComplaint,
  unsupported
} from "./openai.ts"
import { chat, firstOf, list, openai, responses, rule, stranger } from "./rule.ts"
import type { Refusal } from "./rule.ts"

rule(
  "openai.chat-field",
  chat,
  "documented",
  "2026-11",
  `${openaiDocs}/reference/resources/chat`,
  "an unknown argument",
  (ask) => {
    const field = stranger(ask.body, data.fields["openai-chat"])
    return field === undefined ? undefined : { says: `Unrecognized request argument supplied: ${field}`, code: null }
  }
)

rule(
  "openai.responses-field",
  responses,
  "documented",
  "2026-11",
  `${openaiDocs}/reference/resources/responses`,
  "an unknown parameter",
  (ask) => {
    const field = stranger(ask.body, data.fields["openai-responses"])
    return field === undefined
      ? undefined
      : { says: `Unknown parameter: '${field}'.`, param: field, code: "unknown_parameter" }
  }
)

rule(
  "openai.max_tokens",
  chat,
  "tracker",
  "2026-08",
  "https://github.com/pickle-com/glass/pull/227",
  "reasoning models take max_completion_tokens",
  (ask) =>
    ask.body.max_tokens !== undefined && kindOf(ask.model) !== "none"
      ? unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
      : undefined
)

rule(
  "openai.both-bounds",
  chat,
  "documented",
  "2025-01",
  `${openaiDocs}/reference/resources/chat`,
  "one bound",
  (ask) =>
    ask.body.max_tokens !== undefined && ask.body.max_completion_tokens !== undefined
      ? {
          says: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
          param: "max_tokens",
          code: "invalid_parameter_combination"
        }
      : undefined
)

rule(
  "openai.temperature",
  openai,
  "documented",
  "2026-08",
  `${openaiDocs}/docs/guides/latest-model; https://github.com/pydantic/pydantic-ai/issues/2482`,
  "no sampling while a model reasons",
  (ask) => {
    if (!fixed(ask)) return undefined
    const { temperature, top_p } = ask.body
    if (temperature !== undefined && temperature !== null && (temperature !== 1 || responses.includes(ask.place)))
      return responses.includes(ask.place)
        ? unsupported("temperature")
        : {
            says: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
            param: "temperature",
            code: "unsupported_value"
          }
    return top_p !== undefined && top_p !== null && (top_p !== 1 || responses.includes(ask.place))
      ? unsupported("top_p")
      : undefined
  }
)

rule(
  "openai.reasoning-params",
  chat,
  "documented",
  "2025-08",
  "https://community.openai.com/t/gpt-5-removed-parameters-logprob-top-p-temperature/1345768",
  "no penalties, logprobs, logit_bias, stop while a model reasons",
  (ask) => {
    if (!fixed(ask)) return undefined
    const field = ["presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias", "stop"].find(
      (name) =>
        ask.body[name] !== undefined && ask.body[name] !== null && ask.body[name] !== 0 && ask.body[name] !== false
    )
    return field === undefined || (field === "stop" && !/^(o3|o4|gpt-5(-|$))/.test(ask.model))
      ? undefined
      : unsupported(field)
  }
)

rule(
  "openai.effort-unknown",
  openai,
  "documented",
  "2025-08",
  `${openaiDocs}/docs/guides/reasoning`,
  "no effort without reasoning",
  (ask) =>
    effortOf(ask) === undefined || kindOf(ask.model) !== "none" || !/^(gpt-[34]|gpt-5[^/]*chat)/.test(ask.model)
      ? undefined
      : chat.includes(ask.place)
        ? { says: "Unrecognized request argument supplied: reasoning_effort", code: null }
        : unsupported("reasoning.effort")
)

rule(
  "openai.effort",
  openai,
  "documented",
  "2026-06",
  `${openaiDocs}/docs/guides/reasoning`,
  "efforts by model",
  (ask) => {
    const effort = effortOf(ask)
    const kind = kindOf(ask.model)
    if (effort === undefined || effort === null || kind === "none") return undefined
    const version = gptVersion(ask.model)
    const known = ask.model.startsWith("o")
      ? ["low", "medium", "high"]
      : kind === "old"
        ? /pro/.test(ask.model)
          ? ["high"]
          : ["minimal", "low", "medium", "high"]
        : version < 5.2
          ? ["none", "low", "medium", "high"]
          : ["none", "low", "medium", "high", "xhigh", ...(version >= 5.6 ? ["max"] : [])]
    const param = chat.includes(ask.place) ? "reasoning_effort" : "reasoning.effort"
    return known.includes(effort)
      ? undefined
      : {
          says: `Unsupported value: '${effort}' is not supported with the '${ask.model}' model. Supported values are: ${known.map((name) => `'${name}'`).join(", ")}.`,
          param,
          code: "unsupported_value"
        }
  }
)

rule(
  "openai.tools-and-effort",
  chat,
  "tracker",
  "2026-09",
  "https://github.com/BerriAI/litellm/pull/34569; https://github.com/pipecat-ai/pipecat/issues/4043",
  "from gpt-5.4 on, chat takes functions with effort none alone (from 5.6 on also where effort is left out)",
  (ask) => {
    const version = gptVersion(ask.model)
    const has = list(ask.body.tools).some(({ type }) => type === "function")
    if (!has || version < 5.4 || kindOf(ask.model) !== "new") return undefined
    const effort = ask.body.reasoning_effort
    if (effort === "none" || (version < 5.6 && (effort === undefined || effort === null))) return undefined
    return {
      says: `Function tools with reasoning_effort are not supported for ${ask.model} in /v1/chat/completions. ${version < 5.6 ? "Please use /v1/responses instead." : "To use function tools, use /v1/responses or set reasoning_effort to 'none'."}`,
      param: "reasoning_effort",
      code: null
    }
  }
)

rule(
  "openai.tool-name",
  openai,
  "documented",
  "2025-05",
  `${openaiDocs}/reference/resources/chat`,
  "names are 1 to 64 letters, digits, _ and -",
  (ask) =>
    firstOf(list(ask.body.tools), (tool, index) => {
      const name = tool.type === "function" ? (tool.function ?? tool).name : undefined
      const param = tool.function === undefined ? `tools[${index}].name` : `tools[${index}].function.name`
      if (name === undefined)
        return tool.type === "function"
          ? { says: `Missing required parameter: '${param}'.`, param, code: "missing_required_parameter" }
          : undefined
      if (!/^[a-zA-Z0-9_-]+$/.test(name))
        return {
          says: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          param,
          code: "invalid_value"
        }
      const most = responses.includes(ask.place) ? 128 : 64
      return name.length > most
        ? {
            says: `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${name.length} instead.`,
            param,
            code: "string_above_max_length"
          }
        : undefined
    })
)

rule(
  "openai.tool-schema",
  openai,
  "tracker",
  "2026-08",
  "https://github.com/sigoden/aichat/pull/1049; https://github.com/lastmile-ai/openai-agents-mcp/issues/2",
  "an object's schema; strict ones closed and whole",
  (ask) =>
    firstOf(list(ask.body.tools), (tool, index) => {
      if (tool.type !== "function") return undefined
      const { name, parameters, strict } = tool.function ?? tool
      const param = `tools[${index}]${tool.function === undefined ? "" : ".function"}.parameters`
      const bad = (says: string): Refusal => ({
        says: `Invalid schema for function '${name}': ${says}`,
        param,
        code: "invalid_function_parameters"
      })
      if (parameters === undefined || parameters === null) return undefined
      if (parameters.type !== "object" && Object.keys(parameters).length > 0)
        return bad(`schema must be a JSON Schema of 'type: "object"', got 'type: "${parameters.type ?? "None"}"'.`)
      const top = ["oneOf", "anyOf", "allOf", "enum", "not"].find((key) => key in parameters)
      if (top !== undefined)
        return bad("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
      const complaint = strict === true ? strictComplaint(parameters, []) : itemsComplaint(parameters, [])
      return complaint === undefined ? undefined : bad(complaint)
    })
)
