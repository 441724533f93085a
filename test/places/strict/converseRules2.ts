import { aws } from "./claude.ts"
import { contentOf, converseDocs, everyBlock, modelOf } from "./converse.ts"
import { converse, firstOf, list, rule, stranger, words } from "./rule.ts"

rule(
  "converse.images",
  converse,
  "documented",
  "2026-03",
  `${aws}/conversation-inference-supported-models-features.html; https://github.com/earendil-works/pi/issues/8643`,
  "models without images; OpenAI's take none inside a result",
  (ask) => {
    const model = modelOf(ask)
    const inner = everyBlock(ask).flatMap(({ toolResult }) => list(toolResult?.content))
    if (model.imagesInResults === false && inner.some(({ image }) => image !== undefined))
      return "This model doesn't support the image content block inside toolResult. Remove image and try again."
    return model.vision === false && [...everyBlock(ask), ...inner].some(({ image }) => image !== undefined)
      ? "This model doesn't support the image field. Remove image and try again."
      : undefined
  }
)

rule(
  "converse.image",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_ImageBlock.html; ${converseDocs}/API_runtime_Message.html`,
  "png, jpeg, gif, webp as bytes; 20 images, 3.75 MB each",
  (ask) => {
    const images = everyBlock(ask)
      .flatMap(({ image, toolResult }) => [image, ...list(toolResult?.content).map((inner) => inner.image)])
      .filter((image) => image !== undefined)
    if (images.length > 20) return "too many images in the request: at most 20"
    return firstOf(images, ({ format, source }) => {
      if (!["png", "jpeg", "gif", "webp"].includes(format))
        return `1 validation error detected: Value '${format}' at 'messages.1.member.content.1.member.image.format' failed to satisfy constraint: Member must satisfy enum value set: [jpeg, png, gif, webp]`
      return source?.bytes === undefined && source?.s3Location === undefined
        ? "image.source: one of bytes, s3Location"
        : undefined
    })
  }
)

rule(
  "converse.document",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_DocumentBlock.html; ${converseDocs}/API_runtime_Message.html`,
  "names of documents, five at most, beside a text",
  (ask) => {
    const all = list(ask.body.messages).map((turn) =>
      contentOf(turn).flatMap(({ document }) => (document === undefined ? [] : [document]))
    )
    if (all.flat().length > 5) return "too many documents in the request: at most 5"
    const names = all.flat().map(({ name }) => name)
    if (names.some((name) => !/^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/.test(name)))
      return "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character."
    if (new Set(names).size !== names.length) return "The document names in the request are not unique."
    return all.some(
      (documents, index) =>
        documents.length > 0 && !contentOf(ask.body.messages[index]).some(({ text }) => text !== undefined)
    )
      ? "A text block must be included when using documents."
      : undefined
  }
)

rule(
  "converse.cache",
  converse,
  "tracker",
  "2026-02",
  `${aws}/prompt-caching.html; https://github.com/BerriAI/litellm/pull/39210`,
  "marks by model: Nova none in tools, others none at all",
  (ask) => {
    const { cache } = modelOf(ask)
    if (cache === undefined) return undefined
    const here = [
      [ask.body.system, "system"],
      [ask.body.toolConfig?.tools, "tools"],
      [everyBlock(ask), "messages"]
    ] as const
    const bad = here.some(
      ([blocks, at]) => list(blocks).some(({ cachePoint }) => cachePoint !== undefined) && !words(cache).includes(at)
    )
    return bad
      ? {
          says: "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.",
          status: 403,
          type: "AccessDeniedException"
        }
      : undefined
  }
)

rule(
  "converse.temperature",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_InferenceConfiguration.html`,
  "temperature and topP are 0 to 1",
  (ask) => {
    const field = ["temperature", "topP"].find((name) => ask.body.inferenceConfig?.[name] > 1)
    return field === undefined
      ? undefined
      : `1 validation error detected: Value '${ask.body.inferenceConfig[field]}' at 'inferenceConfig.${field}' failed to satisfy constraint: Member must have value less than or equal to 1`
  }
)

rule(
  "converse.foreign-fields",
  converse,
  "tracker",
  "2025-08",
  "https://github.com/BerriAI/litellm/issues/13609; https://github.com/BerriAI/litellm/issues/13825",
  "a model's own fields, sent to another model",
  (ask) => {
    const own = ask.body.additionalModelRequestFields ?? {}
    if (ask.model.includes("claude")) {
      const field = stranger(
        own,
        "anthropic_beta thinking top_k output_config reasoning_config context_management tools tool_choice metadata anthropic_version"
      )
      return field === undefined
        ? undefined
        : `The model returned the following errors: ${field}: Extra inputs are not permitted`
    }
    const field = ["thinking", "anthropic_beta", "output_config"].find((name) => own[name] !== undefined)
    return field === undefined
      ? undefined
      : `Malformed input request: #: extraneous key [${field}] is not permitted, please reformat your input and try again.`
  }
)

rule(
  "converse.signature",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_ReasoningTextBlock.html`,
  "reasoning comes back with the signature that this place gave",
  (ask) =>
    firstOf(list(ask.body.messages), (turn, index) =>
      firstOf(contentOf(turn), ({ reasoningContent }, at) => {
        const text = reasoningContent?.reasoningText
        if (text === undefined || !ask.model.includes("claude")) return undefined
        return text.signature === undefined
          ? `The model returned the following errors: messages.${index}.content.${at}.thinking.signature: Field required`
          : ask.knows?.(text.signature) === false
            ? `The model returned the following errors: messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`
            : undefined
      })
    )
)
