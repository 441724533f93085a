import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import { costOf } from "../ledger/Price.ts"
import type { Consumption } from "../ledger/Price.ts"
import { PriceSource, priceSourceOf } from "../ledger/PriceSource.ts"
import type { RequestQuote } from "../ledger/Quote.ts"

/** Endpoints whose request bodies can be quoted. */
export const QuotedEndpoint = Schema.Literal(
  "/v1/messages",
  "/v1/responses",
  "/v1/chat/completions",
  "/v1/embeddings",
  "/api/v3/contents/generations/tasks",
  "/v1/videos"
)
export type QuotedEndpoint = typeof QuotedEndpoint.Type

/** Any JSON object; the family of the body decodes it. */
export const QuoteRequest = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
  identifier: "QuoteRequest",
  description:
    "A body for `/v1/messages` (recognized by `messages`), `/v1/responses` (by `input`) or " +
    "`/api/v3/contents/generations/tasks` (by `content`); or `{endpoint, body}`, which `/v1/chat/completions`, `/v1/embeddings` and `/v1/videos` always need.",
  jsonSchema: { type: "object" },
  examples: [
    { model: "sandbox-text", max_tokens: 100, messages: "Hello!" },
    { endpoint: "/v1/responses", body: { model: "sandbox-text", input: "Hello!" } }
  ]
})

const Amount = Schema.Struct({
  cost: said(Money, "Its cost."),
  input_tokens: said(Schema.Int, "Input tokens, counted."),
  output_tokens: said(Schema.Int, "Output tokens; of a video, its tokens."),
  searches: said(Schema.Int, "Web searches."),
  video_seconds: said(Schema.Number, "Seconds of video.")
})

/** The likely and the maximum cost of a request. */
export const QuoteRecord = Schema.Struct({
  object: Schema.Literal("quote"),
  endpoint: said(QuotedEndpoint, "The endpoint the body belongs to."),
  model: said(Schema.String, "The model."),
  basis: said(
    Schema.Literal("exact", "history", "usual"),
    "The source of the estimate: `exact` from the request itself, `history` from the account's requests to the model in the last week, `usual` from a typical amount."
  ),
  estimated: said(Amount, "The likely usage."),
  range: said(
    Schema.Struct({
      least: said(Money, "On the cheapest of the routes that may answer."),
      most: said(Money, "On the most expensive of them.")
    }),
    "The likely usage costs this much, depending on the route that answers."
  ),
  route: said(
    Schema.Struct({
      upstream: said(Schema.String, "The upstream."),
      model: said(Schema.String, "The upstream's id of the model.")
    }),
    "The route that is asked first; `estimated` has its price. Routes with weights share the work, so another request may begin at another one."
  ),
  price_source: said(PriceSource, "The source of that route's price."),
  maximum: said(
    Amount,
    "The most it can use, by the bounds of the request or its model. That much must be available and is held while it runs, unless the operator holds less."
  )
}).annotations({ identifier: "Quote" })

export const quoteRecord = (endpoint: QuotedEndpoint, quote: RequestQuote): typeof QuoteRecord.Type => ({
  object: "quote",
  endpoint,
  model: quote.model,
  basis: quote.basis,
  ...estimatedOf(quote),
  route: { upstream: quote.routes[0].upstream, model: quote.routes[0].model },
  price_source: priceSourceOf(quote.routes[0].pricedBy),
  maximum: amount(quote.most, quote.mostNanoUsd)
})

/** The likely cost on the first route, and on the cheapest and the most expensive one. */
const estimatedOf = ({ estimated, mostNanoUsd, routes }: RequestQuote) => {
  const costs = routes.map(({ price }) => Math.min(costOf(price, estimated), mostNanoUsd))
  return {
    estimated: amount(estimated, costs[0] ?? 0),
    range: { least: money(Math.min(...costs)), most: money(Math.max(...costs)) }
  }
}

const amount = (used: Consumption, nanoUsd: number): typeof Amount.Type => ({
  cost: money(nanoUsd),
  input_tokens: used.inputTokens,
  output_tokens: used.outputTokens,
  searches: used.searches,
  video_seconds: (used.videoFrames ?? 0) / 24
})
