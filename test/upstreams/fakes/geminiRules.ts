import { callSignature, standIn, textSignature } from "./geminiSignatures.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

const unknownIn = (value: Any, known: ReadonlySet<string>, at: string): string | undefined => {
  const name = Object.keys(value ?? {}).find((key) => !known.has(key))
  return name === undefined ? undefined : `Invalid JSON payload received. Unknown name "${name}" at '${at}'`
}

const fields = set("contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels")
const configFields = set(
  "maxOutputTokens temperature topP topK stopSequences candidateCount seed responseMimeType responseSchema " +
    "responseJsonSchema responseModalities thinkingConfig presencePenalty frequencyPenalty responseLogprobs logprobs " +
    "mediaResolution imageConfig"
)
const kinds = set("text inlineData fileData functionCall functionResponse executableCode codeExecutionResult")
const besides = set("thought thoughtSignature videoMetadata mediaResolution")
const modes = set("AUTO ANY NONE VALIDATED")
const levels = set("MINIMAL LOW MEDIUM HIGH XHIGH")

/** What the real service would answer 400 to; undefined where it takes the request. Fields are as `@google/genai` has them. */
export const geminiComplaint = (body: Any, model: string): string | undefined =>
  unknownIn(body, fields, "") ??
  unknownIn(body.generationConfig, configFields, "generation_config") ??
  list(body.contents).reduce<string | undefined>(
    (found, content, at) => found ?? inContent(body, content, at),
    undefined
  ) ??
  (list(body.contents).length === 0 ? "contents is not specified" : undefined) ??
  aboutTools(body) ??
  aboutThinking(body.generationConfig?.thinkingConfig, model) ??
  aboutSignatures(list(body.contents), model)

const inContent = (body: Any, { parts, role }: Any, at: number): string | undefined => {
  if (role !== "user" && role !== "model") return "Please use a valid role: user, model."
  if (list(parts).length === 0) return `contents[${at}].parts must not be empty`
  for (const part of parts) {
    const own = Object.keys(part).filter((key) => !besides.has(key))
    if (own.length !== 1 || !kinds.has(own[0] ?? "")) return `contents[${at}].parts: required oneof field 'data'`
    const media = part.inlineData ?? part.fileData
    if (media !== undefined && typeof media.mimeType !== "string") return `contents[${at}].parts: mimeType is required`
    if (part.functionResponse !== undefined && typeof part.functionResponse.response !== "object") {
      return "function_response.response: expected an object"
    }
  }
  const calls = list(parts).filter(({ functionCall }) => functionCall !== undefined)
  const next = list(body.contents[at + 1]?.parts).filter(({ functionResponse }) => functionResponse !== undefined)
  if (role === "model" && calls.length > 0 && calls.length !== next.length) {
    return "Please ensure that the number of function response parts is equal to the number of function call parts"
  }
  const ids = next.map(({ functionResponse }) => functionResponse.id)
  return calls.every(({ functionCall }) => ids.includes(functionCall.id)) ? undefined : "function response: unknown id"
}

const aboutTools = ({ toolConfig, tools }: Any): string | undefined => {
  const declared = list(tools).flatMap((tool) => list(tool.functionDeclarations))
  if (declared.length > 0 && list(tools).some(({ googleSearch }) => googleSearch !== undefined)) {
    return "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request."
  }
  for (const { name, parameters, parametersJsonSchema } of declared) {
    if (!/^[a-zA-Z_][\w.:-]{0,127}$/.test(name)) return `Invalid function name: ${name}`
    if (parameters !== undefined && parametersJsonSchema !== undefined) return "parameters: not beside a JSON Schema"
  }
  const { allowedFunctionNames, mode } = toolConfig?.functionCallingConfig ?? { mode: "AUTO" }
  if (!modes.has(mode)) return `Invalid value at 'tool_config.function_calling_config.mode': ${mode}`
  const unknown = list(allowedFunctionNames).find((name) => !declared.some((one) => one.name === name))
  return unknown === undefined ? undefined : `allowed_function_names: ${unknown} is not declared`
}

const aboutThinking = (config: Any, model: string): string | undefined => {
  if (config === undefined) return undefined
  const { thinkingBudget, thinkingLevel } = config
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) return "thinking: a budget or a level, not both"
  if (thinkingLevel !== undefined && !levels.has(thinkingLevel)) return `thinking_level: ${thinkingLevel}`
  const isOlder = /gemini-2\.5/.test(model)
  if (isOlder && thinkingLevel !== undefined) return "Thinking level is not supported for this model."
  return !isOlder && thinkingBudget !== undefined ? "thinking_budget is not supported for this model." : undefined
}

/** Signatures belong to the very part that they came with; the current turn's calls need theirs. */
const aboutSignatures = (contents: ReadonlyArray<Any>, model: string): string | undefined => {
  if (/gemini-(1|2)/.test(model)) return undefined
  const asked = contents.findLastIndex(
    ({ parts, role }) => role === "user" && list(parts).every(({ functionResponse }) => functionResponse === undefined)
  )
  for (const [at, { parts, role }] of contents.entries()) {
    if (role !== "model") continue
    let text = ""
    let isFirst = true
    for (const { functionCall, text: said, thoughtSignature: signature } of list(parts)) {
      if (functionCall !== undefined) {
        const isMissing = isFirst && at > asked && signature === undefined
        if (isMissing) return "Function call is missing a thought_signature in functionCall parts."
        const isOwn =
          isFirst && (signature === standIn || signature === callSignature(functionCall.name, functionCall.args))
        if (signature !== undefined && !isOwn) return "Corrupted thought signature."
        isFirst = false
        text = ""
      } else {
        text += said ?? ""
        if (signature !== undefined && signature !== textSignature(text)) return "Corrupted thought signature."
      }
    }
  }
  return undefined
}
