import { config, geminiDocs, generation, partsOf } from "./gemini.ts"
import { firstOf, google, isText, list, rule } from "./rule.ts"

rule(
  "gemini.penalty",
  google,
  "tracker",
  "2025-07",
  "https://github.com/PublicAffairs/openai-gemini/issues/63",
  "2.5 has no penalties",
  (ask) =>
    (config(ask).presencePenalty !== undefined || config(ask).frequencyPenalty !== undefined) &&
    generation(ask.model) === 2.5
      ? `Penalty is not enabled for models/${ask.model}`
      : undefined
)

rule(
  "gemini.stop",
  google,
  "documented",
  "2026-11",
  "https://ai.google.dev/api/generate-content#generationconfig",
  "five stops, none empty",
  (ask) =>
    list(config(ask).stopSequences).length > 5
      ? "* GenerateContentRequest.generation_config.stop_sequences: only up to 5 stop sequences are allowed"
      : list(config(ask).stopSequences).includes("")
        ? "* GenerateContentRequest.generation_config.stop_sequences: stop_sequences must not contain empty strings"
        : undefined
)

rule(
  "gemini.temperature",
  google,
  "documented",
  "2026-11",
  "https://ai.google.dev/api/generate-content#generationconfig",
  "temperature is 0 to 2, topP 0 to 1",
  (ask) =>
    config(ask).temperature > 2
      ? `* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0]`
      : config(ask).topP > 1
        ? "* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0]"
        : undefined
)

rule(
  "gemini.mime",
  google,
  "documented",
  "2026-01",
  `${geminiDocs}/image-understanding; https://github.com/microsoft/vscode/issues/286628; https://github.com/ogkalu2/comic-translate/pull/399`,
  "images are png, jpeg, webp, heic, heif",
  (ask) =>
    firstOf(partsOf(ask), ({ fileData, inlineData }) => {
      const type = (inlineData ?? fileData)?.mimeType
      if ((inlineData ?? fileData) !== undefined && type === undefined)
        return "* GenerateContentRequest.contents[0].parts[0].inline_data.mime_type: mime_type is required"
      return isText(type) &&
        type.startsWith("image/") &&
        !["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"].includes(type)
        ? `Unsupported MIME type: ${type}`
        : undefined
    })
)

rule(
  "gemini.signature",
  google,
  "documented",
  "2025-11",
  `${geminiDocs}/thought-signatures`,
  "from Gemini 3 on, the first call of each step of the current turn has a signature, and it is this place's",
  (ask) => {
    const turns = list(ask.body.contents)
    const last = turns.findLastIndex(
      ({ parts, role }) => role === "user" && list(parts).some(({ text }) => text !== undefined)
    )
    const standIns = ["context_engineering_is_the_way_to_go", "skip_thought_signature_validator"]
    return firstOf(turns, ({ parts, role }, index) => {
      const calls = list(parts).filter(({ functionCall }) => functionCall !== undefined)
      if (role !== "model" || calls.length === 0) return undefined
      const [first] = calls
      const given = first.thoughtSignature
      if (generation(ask.model) >= 3 && index > last && given === undefined)
        return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
      const plain = isText(given)
        ? standIns.includes(given)
          ? given
          : Buffer.from(given, "base64").toString()
        : undefined
      return plain !== undefined && !standIns.includes(plain) && ask.knows?.(given) === false
        ? "Corrupted thought signature."
        : undefined
    })
  }
)

rule(
  "gemini.cached-content",
  google,
  "documented",
  "2026-11",
  `${geminiDocs}/caching`,
  "a cached content brings its own system and tools",
  (ask) =>
    ask.body.cachedContent !== undefined &&
    (ask.body.systemInstruction ?? ask.body.tools ?? ask.body.toolConfig) !== undefined
      ? "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config."
      : undefined
)
