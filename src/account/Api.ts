import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { UsageParams, UsageRecord } from "../ledger/UsageRecord.ts"
import { RequestDetail } from "../requests/RequestView.ts"
import { BalanceRecord } from "./BalanceRecord.ts"
import { QuoteRecord, QuoteRequest } from "./QuoteRecord.ts"

const balance = HttpApiEndpoint.get("balance", "/v1/balance")
  .addSuccess(BalanceRecord)
  .annotateContext(OpenApi.annotations({ summary: "Read the account's balance" }))

const usage = HttpApiEndpoint.get("usage", "/v1/usage")
  .setUrlParams(Schema.Struct(UsageParams))
  .addSuccess(UsageRecord)
  .annotateContext(
    OpenApi.annotations({
      summary: "Report the account's usage",
      description: "What all keys of the account used and what it cost, by day, model or key, or request by request."
    })
  )

const quote = HttpApiEndpoint.post("quote", "/v1/quote")
  .setPayload(QuoteRequest)
  .addSuccess(QuoteRecord)
  .annotateContext(
    OpenApi.annotations({
      summary: "Quote a request",
      description:
        "What a request would cost, likely and at most, without sending or spending anything. It is refused as the " +
        "request itself would be, but for a balance that is too low."
    })
  )

const request = HttpApiEndpoint.get("request", "/v1/requests/:id")
  .setPath(Schema.Struct({ id: Schema.String.annotations({ description: "A reply's `x-request-id`." }) }))
  .addSuccess(RequestDetail)
  .annotateContext(
    OpenApi.annotations({
      summary: "Read what became of a request",
      description:
        "Who answered it, after which calls, how long that took, what it used and cost; a moment after it is over, for " +
        "as long as it is kept. What was only read (GET) leaves none."
    })
  )

/** What an account holder can see of its own money. */
export class AccountApi extends HttpApiGroup.make("account")
  .add(balance)
  .add(usage)
  .add(quote)
  .add(request)
  .addError(CodedError)
  .annotate(Prefixes, ["/v1/balance", "/v1/usage", "/v1/quote", "/v1/requests"])
  .annotate(BodyLimit, 64 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(
    OpenApi.annotations({ title: "Account", description: "Balance, usage, prices and requests of one's own." })
  ) {}
