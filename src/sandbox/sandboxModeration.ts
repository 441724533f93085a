import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { moderatedParts, moderatedTexts } from "../generation/moderating.ts"
import { countTexts } from "../tokens/tokenizer.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { refusalOf, statusOf, statusRule } from "./directive.ts"
import { parseDirectives } from "./parseDirectives.ts"
import { wholeGeneration } from "./wholeGeneration.ts"

/** The catalogue's entry for it. */
export const sandboxModerationModel = {
  id: "sandbox-moderation",
  kind: "moderation",
  routes: [{ upstream: "sandbox", model: "sandbox-moderation" }],
  contextTokens: 32_768,
  ownedBy: "sandbox"
} as const

/** OpenAI's categories; true for those of images too. */
const categories: Readonly<Record<string, boolean>> = {
  harassment: false,
  "harassment/threatening": false,
  hate: false,
  "hate/threatening": false,
  illicit: false,
  "illicit/violent": false,
  "self-harm": true,
  "self-harm/intent": true,
  "self-harm/instructions": true,
  sexual: true,
  "sexual/minors": false,
  violence: true,
  "violence/graphic": true
}

/** The embedded moderation model: the categories that directives in the input flag (docs/sandbox.md). */
export const sandboxModeration = endpointOf("moderations", ({ body: { input }, rewrite }) =>
  Effect.gen(function* () {
    // Texts are judged one by one, parts together.
    const inputs = Array.isArray(input) && input.every((one) => typeof one === "string") ? input : [input]
    const results = yield* Effect.forEach(inputs, judge)
    const texts = moderatedTexts(input)
    const id = `modr-${Bun.hash(texts.join("\n")).toString(16)}`
    return wholeGeneration([
      { type: "usage", usage: { ...noUsage, inputTokens: countTexts(texts).tokens } },
      { type: "passthrough", terminal: true, text: JSON.stringify(rewrite({ id, results })) },
      { type: "finished", reason: "stop", stopSequence: null }
    ])
  })
)

/** The result of one input: a text, or parts together. */
const judge = (input: unknown) =>
  Effect.gen(function* () {
    const flagged = new Set<string>()
    for (const text of moderatedTexts(input)) {
      const taken = parseDirectives(text)
      if (typeof taken === "string") return yield* wrong("…", taken)
      for (const setting of taken.settings) for (const name of yield* flagsIn(setting)) flagged.add(name)
    }
    const parts = moderatedParts(input)
    const has = (type: string) => parts.some((part) => part.type === type)
    const looked = { text: has("text") ? ["text"] : [], image: has("image") ? ["image"] : [] }
    const each = <A>(of: (name: string, isOfImages: boolean) => A) =>
      Object.fromEntries(Object.entries(categories).map(([name, isOfImages]) => [name, of(name, isOfImages)]))
    return {
      flagged: flagged.size > 0,
      categories: each((name) => flagged.has(name)),
      category_scores: each((name) => (flagged.has(name) ? 0.99 : 0.0001)),
      category_applied_input_types: each((_, isOfImages) => [...looked.text, ...(isOfImages ? looked.image : [])])
    }
  })

/** The categories that a directive's setting flags. Fails as the setting says, or if it is wrong. */
const flagsIn = (setting: string): Effect.Effect<ReadonlyArray<string>, InvalidRequest | UpstreamError> => {
  const [name, value = ""] = setting.split("=", 2)
  switch (name) {
    case "error": {
      const status = statusOf(value)
      return status === undefined ? wrong(setting, statusRule) : Effect.fail(refusalOf(status))
    }
    case "flag": {
      const named = value.split(",")
      return named.every((one) => Object.hasOwn(categories, one))
        ? Effect.succeed(named)
        : wrong(setting, `expected some of ${Object.keys(categories).join(", ")}`)
    }
    default:
      return wrong(setting, "expected flag or error")
  }
}

const wrong = (setting: string, rule: string) =>
  Effect.fail(new InvalidRequest({ param: "input", message: `[[sandbox: ${setting}]]: ${rule}` }))
