import data from "./data.json"
import { config, declared, geminiDocs, generation } from "./gemini.ts"
import { firstOf, google, list, rule, stranger } from "./rule.ts"

rule(
  "gemini.field",
  google,
  "documented",
  "2026-11",
  "https://ai.google.dev/api/generate-content",
  "an unknown name",
  (ask) => {
    const top = stranger(ask.body, data.fields.gemini)
    if (top !== undefined) return `Invalid JSON payload received. Unknown name "${top}": Cannot find field.`
    const inner = stranger(config(ask), data.fields.geminiConfig)
    if (inner !== undefined)
      return `Invalid JSON payload received. Unknown name "${inner}" at 'generation_config': Cannot find field.`
    const tool = firstOf(declared(ask), (one, index) => {
      const name = stranger(
        one,
        "name description parameters parametersJsonSchema response responseJsonSchema behavior"
      )
      return name === undefined
        ? undefined
        : `Invalid JSON payload received. Unknown name "${name}" at 'tools[0].function_declarations[${index}]': Cannot find field.`
    })
    return (
      tool ??
      firstOf(list(ask.body.contents), ({ parts }, index) =>
        firstOf(list(parts), (part, at) => {
          const name = stranger(
            part,
            "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought thoughtSignature videoMetadata mediaResolution toolCall toolResponse partMetadata"
          )
          return name === undefined
            ? undefined
            : `Invalid JSON payload received. Unknown name "${name}" at 'contents[${index}].parts[${at}]': Cannot find field.`
        })
      )
    )
  }
)

rule(
  "gemini.vertex-id",
  ["vertex-gemini"],
  "tracker",
  "2026-07",
  "https://github.com/BerriAI/litellm/pull/34603; https://github.com/vercel/ai/issues/15664",
  "ids of calls at Vertex: Gemini 3 and later alone",
  (ask) =>
    firstOf(list(ask.body.contents), ({ parts }, index) =>
      firstOf(list(parts), ({ functionCall, functionResponse }, at) =>
        generation(ask.model) < 3 && (functionCall ?? functionResponse)?.id !== undefined
          ? `Invalid JSON payload received. Unknown name "id" at 'contents[${index}].parts[${at}].${functionCall === undefined ? "function_response" : "function_call"}': Cannot find field.`
          : undefined
      )
    )
)

rule(
  "gemini.role",
  google,
  "documented",
  "2026-11",
  "https://ai.google.dev/api/caching#Content",
  "user and model",
  (ask) =>
    firstOf(list(ask.body.contents), ({ role }) =>
      role === undefined || role === "user" || role === "model" ? undefined : "Please use a valid role: user, model."
    )
)

rule(
  "gemini.contents",
  google,
  "documented",
  "2025-05",
  `${geminiDocs}/troubleshooting`,
  "contents and parts are not empty",
  (ask) =>
    list(ask.body.contents).length === 0
      ? "* GenerateContentRequest.contents: contents is not specified"
      : firstOf(list(ask.body.contents), ({ parts }, index) =>
          list(parts).length === 0
            ? `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`
            : undefined
        )
)

rule(
  "gemini.empty-text",
  ["vertex-gemini"],
  "tracker",
  "2025-06",
  "https://github.com/google-gemini/deprecated-generative-ai-python/issues/727; https://github.com/Portkey-AI/gateway/issues/462",
  "no empty text at Vertex",
  (ask) =>
    firstOf(list(ask.body.contents), ({ parts }) =>
      list(parts).some((part) => part.text === "" && part.thoughtSignature === undefined)
        ? "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
        : undefined
    )
)

rule(
  "gemini.call-turn",
  google,
  "tracker",
  "2026-05",
  "https://github.com/google-gemini/gemini-cli/issues/26486",
  "a turn of calls comes after the user or after results",
  (ask) => {
    const turns = list(ask.body.contents)
    return firstOf(turns, ({ parts, role }, index) =>
      role === "model" &&
      list(parts).some(({ functionCall }) => functionCall !== undefined) &&
      turns[index - 1]?.role !== "user" &&
      turns[index - 1]?.role !== undefined
        ? "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
        : role === "model" && index === 0 && list(parts).some(({ functionCall }) => functionCall !== undefined)
          ? "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
          : undefined
    )
  }
)

rule(
  "gemini.call-count",
  google,
  "tracker",
  "2026-01",
  "https://github.com/google-gemini/gemini-cli/issues/17208",
  "as many results as calls",
  (ask) => {
    const turns = list(ask.body.contents)
    return firstOf(turns, ({ parts }, index) => {
      const calls = list(parts).filter(({ functionCall }) => functionCall !== undefined).length
      const results = list(turns[index + 1]?.parts).filter(
        ({ functionResponse }) => functionResponse !== undefined
      ).length
      if (calls > 0 && index < turns.length - 1 && results > 0 && calls !== results)
        return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
      const own = list(parts).some(({ functionResponse }) => functionResponse !== undefined)
      const before = list(turns[index - 1]?.parts).some(({ functionCall }) => functionCall !== undefined)
      return own && !before
        ? "Please ensure that function response turn comes immediately after a function call turn."
        : undefined
    })
  }
)

rule(
  "gemini.tool-name",
  google,
  "documented",
  "2026-09",
  "https://ai.google.dev/api/caching#FunctionDeclaration; https://github.com/diegosouzapw/OmniRoute/pull/13752",
  "a letter or _ first; letters, digits, _ . : - ; 128 at most",
  (ask) =>
    firstOf(declared(ask), ({ name }, index) =>
      /^[a-zA-Z_][\w.:-]{0,127}$/.test(name)
        ? undefined
        : `* GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`
    ) ??
    (new Set(declared(ask).map(({ name }) => name)).size === declared(ask).length
      ? undefined
      : `Duplicate function declaration found: ${declared(ask)
          .map(({ name }) => name)
          .find((name, at, all) => all.indexOf(name) !== at)}`)
)

rule(
  "gemini.json-with-tools",
  google,
  "tracker",
  "2026-05",
  "https://github.com/maximhq/bifrost/pull/3633; https://github.com/googleapis/python-genai/issues/867",
  "before Gemini 3: no JSON beside functions",
  (ask) =>
    generation(ask.model) < 3 && declared(ask).length > 0 && config(ask).responseMimeType === "application/json"
      ? "Function calling with a response mime type: 'application/json' is unsupported"
      : undefined
)

rule(
  "gemini.search-with-tools",
  google,
  "tracker",
  "2026-03",
  "https://github.com/vercel/ai/pull/13920",
  "before Gemini 3: no search beside functions",
  (ask) =>
    generation(ask.model) < 3 &&
    declared(ask).length > 0 &&
    list(ask.body.tools).some((tool) => (tool.googleSearch ?? tool.google_search) !== undefined)
      ? "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request. Please choose one type of tool to continue."
      : undefined
)

rule(
  "gemini.schema-twice",
  google,
  "documented",
  "2026-11",
  "https://ai.google.dev/api/caching#FunctionDeclaration",
  "parameters or parametersJsonSchema",
  (ask) =>
    declared(ask).some(
      ({ parameters, parametersJsonSchema }) => parameters !== undefined && parametersJsonSchema !== undefined
    )
      ? "parameters_json_schema must not be set when parameters is set"
      : undefined
)

rule(
  "gemini.thinking-level",
  google,
  "tracker",
  "2026-01",
  "https://github.com/RooCodeInc/Roo-Code/issues/10700; https://github.com/sterlp/eclipse-peon-ai/issues/115",
  "levels from Gemini 3 on; not both",
  (ask) => {
    const thinking = config(ask).thinkingConfig
    if (thinking?.thinkingLevel !== undefined && thinking?.thinkingBudget !== undefined)
      return "You can only set only one of thinking budget and thinking level."
    return thinking?.thinkingLevel !== undefined && generation(ask.model) < 3
      ? "Thinking level is not supported for this model."
      : undefined
  }
)

rule(
  "gemini.thinking-budget",
  google,
  "documented",
  "2026-07",
  `${geminiDocs}/thinking; https://github.com/earendil-works/pi/issues/3460; https://github.com/RooCodeInc/Roo-Code/issues/4399`,
  "budgets by model: pro 128 to 32,768, flash 0 to 24,576, lite 0 or 512 to 24,576",
  (ask) => {
    const budget = config(ask).thinkingConfig?.thinkingBudget
    if (budget === undefined || budget === -1 || generation(ask.model) >= 3) return undefined
    if (/2\.5-pro/.test(ask.model))
      return budget === 0
        ? "Budget 0 is invalid. This model only works in thinking mode."
        : budget < 128 || budget > 32768
          ? `The thinking budget ${budget} is invalid. Please choose a value between 128 and 32768.`
          : undefined
    const least = /lite/.test(ask.model) ? 512 : 0
    return budget > 24576 || (budget > 0 && budget < least)
      ? `The thinking budget ${budget} is invalid. Please choose a value between ${least} and 24576.`
      : undefined
  }
)
