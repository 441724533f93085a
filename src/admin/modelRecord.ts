import { commonResolutions } from "../catalogue/Catalogue.ts"
import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { priceListDate } from "../catalogue/prices/builtInList.ts"
import { unpriced } from "../ledger/Price.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { ModelRecord } from "./UpstreamRecord.ts"

type Capabilities = ModelRecord["capabilities"]

/** The upstream of a model's first route, by kind; both are undefined if the route leads nowhere. */
export interface FirstRoute {
  readonly text: TextUpstream | undefined
  readonly video: VideoUpstream | undefined
}

/** The operator's view of a model, with its price in dollars. */
export const modelRecord = (model: Model, first: FirstRoute): ModelRecord => {
  const { contextTokens, id, kind, maxOutputTokens, routes } = model
  return {
    object: "model",
    id,
    kind,
    routes: routes.map((route) => ({ upstream: route.upstream, model: route.model, price: priceOf(route) })),
    context_tokens: contextTokens ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    price: priceOf(routes[0]),
    price_source: sourceOf(model),
    capabilities: capabilitiesOf(model, first)
  }
}

const priceOf = (route: ServedRoute | undefined): ModelRecord["price"] => {
  if (route === undefined || route.price === unpriced) return null
  const { price } = route
  return {
    input: price.rates.input / 1e9,
    cached_input: price.rates.cacheRead / 1e9,
    output: price.rates.output / 1e9,
    per_search: price.search / 1e9,
    per_second: price.videoSecond / 1e9
  }
}

const sourceOf = (model: Model): ModelRecord["price_source"] => {
  const pricedBy = model.routes[0]?.pricedBy
  const from = pricedBy?.from ?? "nowhere"
  return {
    from,
    name: pricedBy === undefined || from === "nowhere" ? null : pricedBy.name,
    as_of: from === "built-in list" ? priceListDate : null
  }
}

const capabilitiesOf = (model: Model, { text, video }: FirstRoute): Capabilities => {
  switch (model.kind) {
    case "embedding":
      return { takes: [], passes_through: ["embeddings"], resolutions: null }
    case "video":
      return {
        takes: ["images", ...(video?.fit === undefined ? (["video", "audio"] as const) : [])],
        passes_through: video?.isPassthrough === true ? ["videos"] : [],
        resolutions: model.resolutions ?? commonResolutions
      }
    case "text":
      return {
        takes: [
          "images",
          text?.takesPdf === true ? "pdf" : "pdf_text",
          "tools",
          ...(searches(text) ? (["web_search"] as const) : [])
        ],
        passes_through: [text?.passthrough, text?.compactor].flatMap((one) => (one === undefined ? [] : [one.family])),
        resolutions: null
      }
  }
}

const searches = (text: TextUpstream | undefined): boolean =>
  text?.searches === true || text?.searchesInPassthrough === true || text?.isSearchedFor === true
