import data from "./data.json"
import { firstOf, isText, list, rule, stranger } from "./rule.ts"

rule(
  "mistral.order",
  ["mistral"],
  "tracker",
  "2025-12",
  "https://github.com/BerriAI/litellm/issues/6323; https://github.com/0xPlaygrounds/rig/pull/1130",
  "a user does not follow a tool; the last is user or tool",
  (ask) => {
    const messages = list(ask.body.messages)
    const broken = messages.findIndex(
      ({ role }, index) => ["user", "system"].includes(role) && messages[index - 1]?.role === "tool"
    )
    if (broken !== -1)
      return {
        says: `Unexpected role '${messages[broken].role}' after role 'tool'`,
        type: "invalid_request_message_order",
        code: "3230"
      }
    const last = messages.at(-1)
    return last?.role === "assistant" && last.prefix !== true
      ? {
          says: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
          type: "invalid_request_message_order",
          code: "3230"
        }
      : undefined
  }
)

rule(
  "mistral.empty",
  ["mistral"],
  "tracker",
  "2025-12",
  "https://github.com/OpenHands/OpenHands/issues/8685",
  "an assistant has content or calls",
  (ask) =>
    firstOf(list(ask.body.messages), ({ content, role, tool_calls }) =>
      role === "assistant" &&
      list(tool_calls).length === 0 &&
      (content === "" || content === null || content === undefined)
        ? {
            says: "Assistant message must have either content or tool_calls, but not none.",
            type: "invalid_request_assistant_message",
            code: "3240"
          }
        : undefined
    )
)

rule(
  "xai.penalty",
  ["xai"],
  "documented",
  "2026-09",
  "https://docs.x.ai/developers/model-capabilities/text/reasoning; https://github.com/miaoxworld/NativeTavern/issues/83",
  "no penalties, no stop",
  (ask) => {
    const found = (
      [
        ["presence_penalty", "presencePenalty"],
        ["frequency_penalty", "frequencyPenalty"],
        ["stop", "stop"]
      ] as const
    ).find(([name]) => ask.body[name] !== undefined && ask.body[name] !== null)
    return found !== undefined && /grok-([3-9]|code)/.test(ask.model)
      ? `Model ${ask.model} does not support parameter ${found[1]}.`
      : undefined
  }
)

rule(
  "xai.effort",
  ["xai"],
  "tracker",
  "2026-05",
  "https://github.com/NousResearch/hermes-agent/pull/23435",
  "effort: grok-3-mini, 4.3, 4.20-multi-agent alone (of those of May)",
  (ask) =>
    (ask.body.reasoning_effort ?? ask.body.reasoning?.effort) !== undefined &&
    /^grok-(3$|3-fast|4$|4-0709|4-fast|4-1-fast|4\.20-0309|code-fast)/.test(ask.model)
      ? `Model ${ask.model} does not support parameter reasoningEffort.`
      : undefined
)

rule(
  "xai.summary",
  ["xai"],
  "tracker",
  "2026-08",
  "https://github.com/can1357/oh-my-pi/pull/7454",
  "no reasoning.summary",
  (ask) =>
    ask.body.reasoning?.summary !== undefined
      ? `Model ${ask.model} does not support parameter reasoning.summary.`
      : undefined
)

rule(
  "cerebras.field",
  ["cerebras"],
  "documented",
  "2026-11",
  "https://inference-docs.cerebras.ai/resources/openai; https://hexdocs.pm/req_llm/cerebras.html",
  "frequency_penalty, presence_penalty, logit_bias and other fields",
  (ask) => {
    const field = stranger(ask.body, data.fields.cerebras)
    return field === undefined ? undefined : `property '${field}' is unsupported`
  }
)

rule(
  "cerebras.message-field",
  ["cerebras"],
  "tracker",
  "2026-07",
  "https://github.com/Kilo-Org/kilocode/issues/10375; https://github.com/Alishahryar1/free-claude-code/issues/1136",
  "an unknown field of a message (reasoning_content)",
  (ask) =>
    firstOf(list(ask.body.messages), (message, index) => {
      const field = stranger(message, data.fields.cerebrasMessage)
      return field === undefined
        ? undefined
        : `messages.${index}.${message.role}.${field}: property 'messages.${index}.${message.role}.${field}' is unsupported`
    })
)

rule(
  "vllm.choice",
  ["vllm"],
  "documented",
  "2026-11",
  "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/protocol.py",
  "a choice needs tools",
  (ask) =>
    ask.body.tool_choice !== undefined &&
    ask.body.tool_choice !== null &&
    ask.body.tool_choice !== "none" &&
    list(ask.body.tools).length === 0
      ? "When using `tool_choice`, `tools` must be set."
      : undefined
)

rule(
  "vllm.stream-options",
  ["vllm"],
  "documented",
  "2026-11",
  "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/protocol.py",
  "stream_options with a stream alone",
  (ask) =>
    ask.body.stream_options !== undefined && ask.body.stream_options !== null && ask.body.stream !== true
      ? "Stream options can only be defined when `stream=True`."
      : undefined
)

rule(
  "vllm.template",
  ["vllm"],
  "tracker",
  "2026-06",
  "https://github.com/vllm-project/vllm/issues/41114; https://github.com/vllm-project/vllm/pull/44505",
  "chat templates of Qwen: a system message is the first",
  (ask) =>
    /qwen/i.test(ask.model) &&
    list(ask.body.messages).some(({ role }, index) => ["system", "developer"].includes(role) && index > 0)
      ? "System message must be at the beginning."
      : undefined
)

rule(
  "vllm.alternate",
  ["vllm"],
  "tracker",
  "2025-06",
  "https://github.com/vllm-project/vllm/issues/6862; https://github.com/suitenumerique/conversations/issues/197",
  "chat templates of Mistral and Gemma: roles alternate",
  (ask) => {
    const roles = list(ask.body.messages)
      .map(({ role }) => role)
      .filter((role) => role !== "system" && role !== "tool")
    return /mistral|mixtral|gemma/i.test(ask.model) &&
      roles.some((role, index) => role === roles[index - 1] && role === "user")
      ? "Conversation roles must alternate user/assistant/user/assistant/..."
      : undefined
  }
)

rule(
  "vllm.arguments",
  ["vllm"],
  "tracker",
  "2026-06",
  "https://github.com/vllm-project/vllm/pull/45276",
  "arguments of calls are JSON",
  (ask) =>
    firstOf(list(ask.body.messages), ({ tool_calls }) =>
      firstOf(list(tool_calls), (call) => {
        try {
          JSON.parse(call.function.arguments)
          return undefined
        } catch {
          return "Invalid JSON in tool call arguments"
        }
      })
    )
)

rule(
  "ollama.image",
  ["ollama"],
  "documented",
  "2026-11",
  "https://github.com/ollama/ollama/blob/main/openai/openai.go",
  "images as data URLs alone",
  (ask) =>
    list(ask.body.messages)
      .flatMap(({ content }) => list(content))
      .some(
        ({ image_url }) =>
          image_url !== undefined &&
          !/^data:image\/(jpe?g|png|webp);base64,/.test(isText(image_url) ? image_url : image_url.url)
      )
      ? "invalid image input"
      : undefined
)

rule(
  "ollama.tools",
  ["ollama"],
  "documented",
  "2026-11",
  "https://github.com/ollama/ollama/blob/main/server/routes.go",
  "models without tools",
  (ask) =>
    list(ask.body.tools).length > 0 &&
    /^(gemma[23]|llama2|phi3?|codellama|deepseek-r1:(1\.5b|7b|8b))(:|$)/.test(ask.model)
      ? `registry.ollama.ai/library/${ask.model} does not support tools`
      : undefined
)
