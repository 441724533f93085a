import { openaiDocs, strictComplaint, unsupported } from "./openai.ts"
import { chat, firstOf, isText, list, openai, rule } from "./rule.ts"

rule(
  "openai.format",
  openai,
  "documented",
  "2025-05",
  `${openaiDocs}/docs/guides/structured-outputs`,
  "a name, a closed schema, the word json",
  (ask) => {
    const format = ask.body.response_format ?? ask.body.text?.format
    if (format?.type === "json_object") {
      const said = JSON.stringify(ask.body.messages ?? [ask.body.input, ask.body.instructions]).toLowerCase()
      if (said.includes("json")) return undefined
      return chat.includes(ask.place)
        ? {
            says: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            param: "messages",
            code: null
          }
        : {
            says: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
            param: "input",
            code: null
          }
    }
    if (format?.type !== "json_schema") return undefined
    const { name, schema, strict } = format.json_schema ?? format
    const at = format.json_schema === undefined ? "text.format" : "response_format.json_schema"
    if (name === undefined)
      return {
        says: `Missing required parameter: '${at}.name'.`,
        param: `${at}.name`,
        code: "missing_required_parameter"
      }
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return {
        says: `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        param: `${at}.name`,
        code: "invalid_value"
      }
    if (schema?.type !== "object")
      return {
        says: `Invalid schema for response_format '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${schema?.type ?? "None"}"'.`,
        param: format.json_schema === undefined ? "text.format.schema" : "response_format",
        code: "invalid_json_schema"
      }
    const complaint = strict === true ? strictComplaint(schema, []) : undefined
    return complaint === undefined
      ? undefined
      : {
          says: `Invalid schema for response_format '${name}': ${complaint}`,
          param: format.json_schema === undefined ? "text.format.schema" : "response_format",
          code: "invalid_json_schema"
        }
  }
)

rule(
  "openai.tools-empty",
  chat,
  "tracker",
  "2025-03",
  "https://github.com/continuedev/continue/issues/3370; https://github.com/Upsonic/Upsonic/issues/176",
  "no empty list, no choice without tools, 128 at most",
  (ask) => {
    const { parallel_tool_calls, tool_choice, tools } = ask.body
    if (Array.isArray(tools) && tools.length === 0)
      return {
        says: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        param: "tools",
        code: "empty_array"
      }
    if (list(tools).length > 128)
      return {
        says: `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
        param: "tools",
        code: "array_above_max_length"
      }
    if (tool_choice !== undefined && tool_choice !== null && tools === undefined)
      return {
        says: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        param: "tool_choice",
        code: null
      }
    return parallel_tool_calls !== undefined && tools === undefined
      ? {
          says: "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
          param: "parallel_tool_calls",
          code: null
        }
      : undefined
  }
)

rule(
  "openai.parallel",
  chat,
  "tracker",
  "2025-02",
  "https://github.com/evalstate/fast-agent/issues/279; https://github.com/langchain-ai/langchain/issues/29704",
  "o-series: no parallel_tool_calls",
  (ask) =>
    /^o[134]/.test(ask.model) && ask.body.parallel_tool_calls !== undefined
      ? unsupported("parallel_tool_calls")
      : undefined
)

rule(
  "openai.tool-pairs",
  chat,
  "tracker",
  "2025-04",
  "https://github.com/BerriAI/litellm/issues/10083",
  "every call has its result, every result its call",
  (ask) => {
    let open = new Set<string>()
    let begun = false
    const left = () => ({
      says: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
      param: "messages",
      code: null
    })
    const found = firstOf(list(ask.body.messages), ({ role, tool_call_id, tool_calls }, index) => {
      if (role === "tool") {
        if (!begun)
          return {
            says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            param: `messages.[${index}].role`,
            code: null
          }
        open.delete(tool_call_id)
        return undefined
      }
      if (open.size > 0) return left()
      open = new Set(list(tool_calls).map(({ id }) => id))
      begun = open.size > 0
      return undefined
    })
    return found ?? (open.size > 0 ? left() : undefined)
  }
)

rule(
  "openai.call-id",
  chat,
  "tracker",
  "2025-11",
  "https://github.com/agno-agi/agno/issues/5382; https://github.com/Portkey-AI/gateway/issues/1062",
  "ids of calls have 40 characters at most",
  (ask) =>
    firstOf(list(ask.body.messages), ({ tool_calls }, index) =>
      firstOf(list(tool_calls), ({ id }, at) =>
        isText(id) && id.length > 40
          ? {
              says: `Invalid 'messages[${index}].tool_calls[${at}].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
              param: `messages[${index}].tool_calls[${at}].id`,
              code: "string_above_max_length"
            }
          : undefined
      )
    )
)

rule(
  "openai.content",
  chat,
  "documented",
  "2025-05",
  `${openaiDocs}/reference/resources/chat`,
  "content is there; images are the user's alone",
  (ask) =>
    firstOf(list(ask.body.messages), ({ content, role, tool_calls }, index) => {
      if ((content === null || content === undefined) && !(role === "assistant" && list(tool_calls).length > 0))
        return {
          says: "Invalid value for 'content': expected a string, got null.",
          param: `messages.[${index}].content`,
          code: null
        }
      if (role !== "user" && list(content).some(({ type }) => type === "image_url"))
        return {
          says: `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
          param: `messages[${index}]`,
          code: "invalid_value"
        }
      const known = ["text", "image_url", "input_audio", "refusal", "file"]
      const bad = list(content).findIndex(({ type }) => !known.includes(type))
      return bad === -1
        ? undefined
        : {
            says: `Invalid value: '${content[bad].type}'. Supported values are: ${known.map((name) => `'${name}'`).join(", ")}.`,
            param: `messages[${index}].content[${bad}].type`,
            code: "invalid_value"
          }
    })
)

rule(
  "openai.stream-options",
  chat,
  "documented",
  "2024-06",
  `${openaiDocs}/reference/resources/chat`,
  "stream_options with a stream alone",
  (ask) =>
    ask.body.stream_options !== undefined && ask.body.stream_options !== null && ask.body.stream !== true
      ? {
          says: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          param: "stream_options",
          code: null
        }
      : undefined
)

rule(
  "openai.stop",
  chat,
  "documented",
  "2024-06",
  `${openaiDocs}/reference/resources/chat`,
  "four stops at most",
  (ask) =>
    list(ask.body.stop).length > 4
      ? {
          says: `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${ask.body.stop.length} instead.`,
          param: "stop",
          code: "array_above_max_length"
        }
      : undefined
)

rule(
  "openai.image",
  openai,
  "documented",
  "2025-05",
  `${openaiDocs}/docs/guides/images-vision`,
  "png, jpeg, gif, webp",
  (ask) => {
    const urls = [...list(ask.body.messages), ...list(ask.body.input)]
      .flatMap(({ content, output }) => [...list(content), ...list(output)])
      .map(({ image_url }) => (isText(image_url) ? image_url : image_url?.url))
    return urls.some(
      (url) =>
        isText(url) &&
        url.startsWith("data:") &&
        !/^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(url)
    )
      ? {
          says: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
          param: null as never,
          code: "invalid_image_format"
        }
      : undefined
  }
)
