import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { UsageParams, UsageRecord } from "../ledger/UsageRecord.ts"
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

/** What an account holder can see of its own money. */
export class AccountApi extends HttpApiGroup.make("account")
  .add(balance)
  .add(usage)
  .add(quote)
  .addError(CodedError)
  .annotate(Prefixes, ["/v1/balance", "/v1/usage", "/v1/quote"])
  .annotate(BodyLimit, 64 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Account", description: "Balance, usage and prices of one's own." })) {}
