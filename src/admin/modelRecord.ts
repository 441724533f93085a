import { commonResolutions } from "../catalogue/Catalogue.ts"
import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { unpriced } from "../ledger/Price.ts"
import { priceSourceOf } from "../ledger/PriceSource.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import { priceRecord } from "./PriceRecord.ts"
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
    price_source: priceSourceOf(routes[0]?.pricedBy),
    capabilities: capabilitiesOf(model, first)
  }
}

const priceOf = (route: ServedRoute | undefined): ModelRecord["price"] =>
  route === undefined || route.price === unpriced ? null : priceRecord(route.price)

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
