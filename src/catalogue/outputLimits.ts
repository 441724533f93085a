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

/** The published bounds of a model: of itself, and of each id that its routes have for it. */
interface Published {
  readonly most: number | undefined
  readonly ofRoutes: ReadonlyMap<string, number | undefined>
}

/** Found once for each model: the expressions take time, and every request asks. */
const published = new WeakMap<Model, Published>()

const publishedOf = (model: Model): Published => {
  let bounds = published.get(model)
  if (bounds === undefined) published.set(model, (bounds = findPublished(model)))
  return bounds
}

const findPublished = (model: Model): Published => {
  const routes = model.routes.filter(({ upstream }) => upstream !== sandbox)
  const ofRoutes = new Map(routes.map((route) => [route.model, known(route.model)]))
  const most = routes.length === 0 ? undefined : (known(model.id) ?? [...ofRoutes.values()].reduce(larger, undefined))
  return { most, ofRoutes }
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
  const most = model.maxOutputTokens ?? publishedOf(model).most ?? outputBound?.usual
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
  const most = isSame ? model.maxOutputTokens : publishedOf(model).ofRoutes.get(route.model)
  return most !== undefined && maxOutputTokens > most ? most : undefined
}
