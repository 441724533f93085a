import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { alsoCsv } from "../contract/text/alsoCsv.ts"
import { BodyLimit, LongLived, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { PageParams, pageOf } from "../contract/paging.ts"
import { EventsAnswer, eventsAnnotations } from "../feed/eventsAnswer.ts"
import { UsageParams, UsageRecord } from "../ledger/UsageRecord.ts"
import { OverviewGroups, OwnFilterParams, SpanParams, TableParams } from "../requests/OverviewGroups.ts"
import { OverviewTimes, OwnOverview } from "../requests/OverviewSums.ts"
import { HistogramTimes, RequestHistogram } from "../requests/RequestHistogram.ts"
import { ExportAnswer, exporting, ExportParams } from "../requests/requestExport.ts"
import { RequestPage } from "../requests/RequestPage.ts"
import { ownRequestParams, RequestTimes } from "../requests/RequestQuery.ts"
import { RequestDetail } from "../requests/RequestView.ts"
import { TaskParams } from "../tasks/TaskParams.ts"
import { AccountView } from "./AccountView.ts"
import { BalanceRecord } from "./BalanceRecord.ts"
import { QuoteRecord, QuoteRequest } from "./QuoteRecord.ts"
import { TaskView } from "./TaskView.ts"

const balance = HttpApiEndpoint.get("balance", "/v1/balance")
  .addSuccess(BalanceRecord)
  .annotateContext(OpenApi.annotations({ summary: "Read the account's balance" }))

const usage = HttpApiEndpoint.get("usage", "/v1/usage")
  .setUrlParams(Schema.Struct(UsageParams))
  .addSuccess(UsageRecord)
  .annotateContext(
    alsoCsv({
      summary: "Report the account's usage",
      description: "Usage and cost of all keys of the account, by day, model, key or request."
    })
  )

const quote = HttpApiEndpoint.post("quote", "/v1/quote")
  .setPayload(QuoteRequest)
  .addSuccess(QuoteRecord)
  .annotateContext(
    OpenApi.annotations({
      summary: "Quote a request",
      description:
        "The likely and the maximum cost of a request. Nothing is sent or spent. It is refused as the request itself would " +
        "be, except for a balance that is too low."
    })
  )

const request = HttpApiEndpoint.get("request", "/v1/requests/:id")
  .setPath(Schema.Struct({ id: Schema.String.annotations({ description: "A reply's `x-request-id`." }) }))
  .addSuccess(RequestDetail)
  .annotateContext(
    OpenApi.annotations({
      summary: "Read a request and its outcome",
      description:
        "The upstream that answered, all attempts, durations, usage and cost. Available moments after the request ends, for " +
        "as long as requests are kept. GET requests leave no record."
    })
  )

const own = HttpApiEndpoint.get("own", "/v1/account")
  .addSuccess(AccountView)
  .annotateContext(OpenApi.annotations({ summary: "Read the account: its balance, its limits, and the key that asks" }))

const requests = HttpApiEndpoint.get("requests", "/v1/requests")
  .setUrlParams(
    Schema.Struct({
      ...ownRequestParams,
      ...RequestTimes,
      ...PageParams
    })
  )
  .addSuccess(RequestPage)
  .annotateContext(
    OpenApi.annotations({
      summary: "List the account's finished requests, newest first",
      description: "A page may end early after a long stretch without matches; `next` continues from there."
    })
  )

const exportRequests = HttpApiEndpoint.get("exportRequests", "/v1/requests/export")
  .setUrlParams(Schema.Struct({ ...ownRequestParams, ...RequestTimes, ...ExportParams }))
  .addSuccess(ExportAnswer)
  .annotate(LongLived, true)
  .annotateContext(exporting)

const requestHistogram = HttpApiEndpoint.get("requestHistogram", "/v1/requests/histogram")
  .setUrlParams(Schema.Struct({ ...ownRequestParams, ...HistogramTimes }))
  .addSuccess(RequestHistogram)
  .annotateContext(
    OpenApi.annotations({
      summary: "Count the account's requests by when they came and how they ended",
      description: "The number of all rows that the same filters match."
    })
  )

const overview = HttpApiEndpoint.get("overview", "/v1/overview")
  .setUrlParams(
    Schema.Struct({
      ...OverviewTimes,
      by: Schema.optional(Schema.Literal("model", "upstream", "key")).annotations({
        description: "The grouping. Default `model`."
      })
    })
  )
  .addSuccess(OwnOverview)
  .annotateContext(
    OpenApi.annotations({
      summary: "Sum up the account's requests",
      description:
        "Counts, costs and tokens are exact. Steps of an hour or more (the default for spans of more than six hours) use " +
        "the hours' sums, shorter steps the stored requests. Percentiles use at most 20000 requests."
    })
  )

const overviewGroups = HttpApiEndpoint.get("overviewGroups", "/v1/overview/groups")
  .setUrlParams(Schema.Struct({ ...SpanParams, ...OwnFilterParams, ...TableParams }))
  .addSuccess(OverviewGroups)
  .annotateContext(
    alsoCsv({
      summary: "Compare groups of the account's requests with the period before",
      description:
        "By model, upstream or key, by two of them, by tag or by end user. Counts, costs and tokens are exact for the span, to " +
        "the millisecond; requests count by their start, money and tokens by their settlement. Percentiles use at most 20000 " +
        "requests, groups by tag or end user at most 100000."
    })
  )

const tasks = HttpApiEndpoint.get("tasks", "/v1/tasks")
  .setUrlParams(Schema.Struct(TaskParams))
  .addSuccess(pageOf(TaskView))
  .annotateContext(OpenApi.annotations({ summary: "List the account's tasks of every kind, newest first" }))

const events = HttpApiEndpoint.get("events", "/v1/events")
  .addSuccess(EventsAnswer)
  .annotate(LongLived, true)
  .annotateContext(
    eventsAnnotations(
      "Watch the account's events",
      "Server-sent events: `ready` (from here on nothing is missed), `request` (an array of finished requests), " +
        "`changed` (`{what, ids}`: tasks, deliveries, the account) and `missed` (the reader was too slow: read again)."
    )
  )

/** The account holder's view of balance, usage, prices, requests and tasks. */
export class AccountApi extends HttpApiGroup.make("account")
  .add(balance)
  .add(usage)
  .add(quote)
  .add(request)
  .add(own)
  .add(requests)
  .add(exportRequests)
  .add(requestHistogram)
  .add(overview)
  .add(overviewGroups)
  .add(tasks)
  .add(events)
  .addError(CodedError)
  .annotate(Prefixes, [
    "/v1/account",
    "/v1/balance",
    "/v1/usage",
    "/v1/quote",
    "/v1/requests",
    "/v1/overview",
    "/v1/events"
  ])
  .annotate(BodyLimit, 64 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(
    OpenApi.annotations({ title: "Account", description: "Your own balance, usage, prices and requests." })
  ) {}
