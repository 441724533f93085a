import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { windowOf } from "../catalogue/facts/modelFacts.ts"
import { videoBoundsAt, videoBoundsOf } from "../catalogue/videoBounds.ts"
import { videoBoundsRecord } from "../catalogue/VideoBoundsRecord.ts"
import { unpriced } from "../ledger/Price.ts"
import { priceSourceOf } from "../ledger/PriceSource.ts"
import { partOf } from "../routing/Route.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { priceRecord } from "./PriceRecord.ts"
import type { ModelRecord } from "./UpstreamRecord.ts"
import { allFamilies, families, isBeside, kinds } from "../contract/kinds.ts"
import type { Family } from "../contract/kinds.ts"

type Capabilities = ModelRecord["capabilities"]

/** The upstreams by name. */
export interface AllUpstreams {
  readonly texts: ReadonlyMap<string, TextUpstream>
  readonly videos: ReadonlyMap<string, VideoUpstream>
}

/** The operator's view of a model, with its prices in dollars. */
export const modelRecord = (model: Model, upstreams: AllUpstreams, use: ModelRecord["use"] = null): ModelRecord => {
  const { facts, guardrails, id, kind, routes } = model
  return {
    object: "model",
    id,
    kind,
    routes: routes.map((route) => ({
      upstream: route.upstream,
      model: route.model,
      price: priceOf(route),
      ...(kind === "video" && {
        video: videoBoundsRecord(videoBoundsAt(route, upstreams.videos.get(route.upstream)))
      })
    })),
    context_tokens: windowOf(facts) ?? null,
    max_output_tokens: facts.max_output_tokens ?? null,
    facts,
    price: priceOf(routes[0]),
    price_source: priceSourceOf(routes[0]?.pricedBy),
    capabilities: capabilitiesOf(model, upstreams),
    ...(guardrails !== undefined && { guardrails }),
    use
  }
}

const priceOf = (route: ServedRoute | undefined): ModelRecord["price"] =>
  route === undefined || route.price === unpriced ? null : priceRecord(route.price)

const capabilitiesOf = (model: Model, { texts, videos }: AllUpstreams): Capabilities => {
  const [first] = model.routes
  const text = first === undefined ? undefined : texts.get(partOf(first))
  if (kinds[model.kind].work === "task") {
    const { frameImages, references, resolutions } = videoBoundsOf(model, videos)
    return {
      takes: [
        ...(frameImages + references.images > 0 ? (["images"] as const) : []),
        ...(references.videos > 0 ? (["video"] as const) : []),
        ...(references.audios > 0 ? (["audio"] as const) : [])
      ],
      passes_through: videos.get(first?.upstream ?? "")?.isPassthrough === true ? ["videos"] : [],
      resolutions
    }
  }
  return {
    takes: kinds[model.kind].isTranslated
      ? [
          "images",
          text?.takesPdf === true ? "pdf" : "pdf_text",
          "tools",
          ...(searches(text) ? (["web_search"] as const) : [])
        ]
      : [],
    passes_through: (first === undefined ? [] : familiesOf(text, first)).filter(
      (family) => families[family].kind === model.kind
    ),
    resolutions: null
  }
}

/** The families whose requests pass through on a route. */
const familiesOf = (
  { beside, passthrough }: Pick<TextUpstream, "passthrough" | "beside"> = {},
  { knownAs, model }: ServedRoute
): ReadonlyArray<Family> => [
  ...(passthrough === undefined ? [] : [passthrough.family]),
  ...allFamilies.filter((family) => {
    const endpoint = isBeside(family) ? beside?.[family] : undefined
    return endpoint !== undefined && endpoint.serves?.(model, knownAs) !== false
  })
]

const searches = (text: TextUpstream | undefined): boolean =>
  text?.searches === true || text?.searchesInPassthrough === true || text?.isSearchedFor === true
