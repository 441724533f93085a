import { Schema } from "effect"
import type { Counts } from "../contract/records/measures.ts"
import { answerField } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import { costOf } from "../ledger/cost.ts"
import { PriceSource, priceSourceOf } from "../ledger/PriceSource.ts"
import type { RequestQuote } from "../ledger/Quote.ts"
import { quotedPaths } from "../contract/quotedPaths.ts"
import type { QuotedPath } from "../contract/quotedPaths.ts"

/** Endpoints whose request bodies can be quoted. */
export const QuotedEndpoint = Schema.Literal(...quotedPaths)

/** Any JSON object; the family of the body decodes it. */
export const QuoteRequest = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
  identifier: "QuoteRequest",
  description:
    "A body for `/v1/messages` (recognized by `messages`), `/v1/responses` (by `input`) or " +
    "`/api/v3/contents/generations/tasks` (by `content`); or `{endpoint, body}`, which the others always need.",
  jsonSchema: { type: "object" },
  examples: [
    { model: "sandbox-text", max_tokens: 100, messages: "Hello!" },
    { endpoint: "/v1/responses", body: { model: "sandbox-text", input: "Hello!" } }
  ]
})

const Amount = Schema.Struct({
  cost: answerField(Money, "Its cost."),
  input_tokens: answerField(Schema.Int, "Input tokens, counted."),
  output_tokens: answerField(Schema.Int, "Output tokens; of a video, its tokens."),
  searches: answerField(Schema.Int, "Web searches."),
  video_seconds: answerField(Schema.Number, "Seconds of video.")
})

/** The likely and the maximum cost of a request. */
export const QuoteRecord = Schema.Struct({
  object: Schema.Literal("quote"),
  endpoint: answerField(QuotedEndpoint, "The endpoint the body belongs to."),
  model: answerField(Schema.String, "The model."),
  basis: answerField(
    Schema.Literal("exact", "history", "usual"),
    "The source of the estimate: `exact` from the request itself, `history` from the account's requests to the model in the last week, `usual` from a typical amount."
  ),
  estimated: answerField(Amount, "The likely usage."),
  range: answerField(
    Schema.Struct({
      least: answerField(Money, "On the cheapest of the routes that may answer."),
      most: answerField(Money, "On the most expensive of them.")
    }),
    "The likely usage costs this much, depending on the route that answers."
  ),
  route: answerField(
    Schema.Struct({
      upstream: answerField(Schema.String, "The upstream."),
      model: answerField(Schema.String, "The upstream's id of the model.")
    }),
    "The route that is asked first; `estimated` has its price. Routes with weights share the work, so another request may begin at another one."
  ),
  price_source: answerField(PriceSource, "The source of that route's price."),
  service_tier: answerField(
    Schema.String,
    "The tier that the costs on that route assume: the request's, else the `default_service_tier` of its upstream, else the one at which the upstream's key has lately answered; `default` for the model's own rates."
  ),
  maximum: answerField(
    Amount,
    "The most it can use, by the bounds of the request or its model. That much must be available and is held while it runs, unless the operator holds less."
  )
}).annotations({ identifier: "Quote" })

export const quoteRecord = (endpoint: QuotedPath, quote: RequestQuote): typeof QuoteRecord.Type => ({
  object: "quote",
  endpoint,
  model: quote.model,
  basis: quote.basis,
  ...estimatedOf(quote),
  route: { upstream: quote.routes[0].upstream, model: quote.routes[0].model },
  price_source: priceSourceOf(quote.routes[0].pricedBy),
  service_tier: quote.tier ?? quote.routes[0].assumes?.tier ?? "default",
  maximum: amount(quote.most, quote.mostNanoUsd)
})

/** The likely cost on the first route, and on the cheapest and the most expensive one. */
const estimatedOf = ({ estimated, mostNanoUsd, routes }: RequestQuote) => {
  const costs = routes.map(({ assumes, price }) =>
    Math.min(costOf(price, assumes === undefined ? estimated : { ...estimated, served: assumes }), mostNanoUsd)
  )
  return {
    estimated: amount(estimated, costs[0] ?? 0),
    range: { least: money(Math.min(...costs)), most: money(Math.max(...costs)) }
  }
}

const amount = (used: Counts, nanoUsd: number): typeof Amount.Type => ({
  cost: money(nanoUsd),
  input_tokens: used.inputTokens,
  output_tokens: used.outputTokens,
  searches: used.searches,
  video_seconds: (used.videoFrames ?? 0) / 24
})
