import type { Conversation } from "../generation/Conversation.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Route } from "../routing/Route.ts"
import type { Model } from "./Catalogue.ts"

/**
 * The most output tokens of a request, by families of models as their makers publish them. The first match counts; dated
 * and prefixed ids (`anthropic/claude-…`) match too.
 */
const rows: ReadonlyArray<readonly [RegExp, number]> = [
  [/claude-(v?[12]\b|instant)/, 4_096],
  [/claude-3-(opus|sonnet|haiku)/, 4_096],
  [/claude-3[-.]5/, 8_192],
  [/claude-3[-.]7/, 64_000],
  [/claude-opus-4([-.][01])?($|[-@:]\d{8}|-latest|@latest|-v\d)/, 32_000],
  [/claude-opus-4[-.]5/, 64_000],
  [/claude-(sonnet|haiku)-4/, 64_000],
  [/claude-/, 128_000],
  [/gpt-3\.5|gpt-4-(turbo|\d{4}-preview|vision)|gpt-4o-2024-05-13/, 4_096],
  [/gpt-4\.1/, 32_768],
  [/gpt-4\.5|gpt-4o|gpt-(5|[6-9])(\.\d+)?-chat|chatgpt/, 16_384],
  [/gpt-4/, 8_192],
  [/gpt-5(\.\d+)?-pro/, 272_000],
  [/gpt-[5-9]/, 128_000],
  [/(^|\/)o1-preview/, 32_768],
  [/(^|\/)o1-mini/, 65_536],
  [/(^|\/)o[134]|codex-mini/, 100_000]
]

const known = (model: string): number | undefined => rows.find(([pattern]) => pattern.test(model))?.[1]

/** The upstream that is the gateway's own: what its models are called says nothing of them. */
const sandbox = "sandbox"

/**
 * The most that a request may ask of a model: what its entry says, else what is known of its id or of those that its
 * routes have for it; undefined where nothing is.
 */
const boundOf = (model: Model): number | undefined => {
  if (model.maxOutputTokens !== undefined) return model.maxOutputTokens
  if (!bounds.has(model)) bounds.set(model, knownOf(model))
  return bounds.get(model)
}

/** What was found once: the expressions take their time, and each request asks. */
const bounds = new WeakMap<Model, number | undefined>()

const knownOf = (model: Model): number | undefined => {
  const routes = model.routes.filter(({ upstream }) => upstream !== sandbox)
  if (routes.length === 0) return undefined
  return (
    known(model.id) ?? routes.reduce<number | undefined>((most, route) => larger(most, known(route.model)), undefined)
  )
}

const larger = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

/**
 * Why a model can't be asked for that much output; undefined where it can. An upstream that gets the request as it came
 * judges for itself.
 */
export const tooMuchOutput = (
  model: Model,
  { maxOutputTokens, outputBound }: Conversation
): InvalidRequest | undefined => {
  if (maxOutputTokens === undefined) return undefined
  const most = boundOf(model) ?? outputBound?.usual
  if (most === undefined || maxOutputTokens <= most) return undefined
  const param = outputBound?.param ?? "max_output_tokens"
  return new InvalidRequest({
    param,
    message: `${param}: expected an integer between 1 and ${most}; got ${maxOutputTokens}`
  })
}

/** The most that a route's model writes, where a request in the gateway's words wants more; undefined where it fits. */
export const cutTo = (model: Model, route: Route, { maxOutputTokens }: Conversation): number | undefined => {
  if (maxOutputTokens === undefined || route.upstream === sandbox) return undefined
  const isSame = route.model === model.id && model.maxOutputTokens !== undefined
  const most = isSame ? model.maxOutputTokens : known(route.model)
  return most !== undefined && maxOutputTokens > most ? most : undefined
}
