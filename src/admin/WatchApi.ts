import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { KnownFieldsOnly, LongLived, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { said } from "../contract/fields.ts"
import { EventsAnswer, watching } from "../feed/eventsAnswer.ts"
import { LogLines, LogParams } from "./LogLines.ts"
import { OverviewTimes } from "../requests/OverviewSums.ts"
import { OverviewRecord } from "./OverviewRecord.ts"

/** The result of asking an upstream for its models. */
export const UpstreamTest = Schema.Struct({
  object: Schema.Literal("upstream_test"),
  name: said(Schema.String, "The upstream."),
  ok: said(Schema.Boolean, "True if it answered with a list of models."),
  ms: said(Schema.Int, "How long that took."),
  models: said(Schema.NullOr(Schema.Array(Schema.String)), "Models it lists; null if it has no list."),
  error: said(Schema.NullOr(Schema.String), "The error; null if there was none.")
}).annotations({ identifier: "UpstreamTest" })

/** Sums, live events and logs. */
export class AdminWatchApi extends HttpApiGroup.make("adminWatch")
  .add(
    HttpApiEndpoint.get("overview", "/admin/v1/overview")
      .setUrlParams(
        Schema.Struct({
          ...OverviewTimes,
          by: Schema.optional(Schema.Literal("model", "upstream", "key", "account", "tag")).annotations({
            description: "The grouping. Default `model`."
          })
        })
      )
      .addSuccess(OverviewRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Sums of requests, and what needs attention",
          description:
            "Counts, costs and tokens are exact: of the hours' sums for steps of an hour and more, else of the requests that " +
            "are kept. Percentiles are of 20000 requests at most, and what tags tell apart of 100000."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("events", "/admin/v1/events")
      .addSuccess(EventsAnswer)
      .annotate(LongLived, true)
      .annotateContext(
        watching(
          "Watch what happens",
          "Server-sent events, of every node: `ready` (from here on nothing is missed), `request` (an array of requests " +
            "that are over), `skipped` (`{requests}`: so many more were), `changed` (`{what, ids}`: `key`, `account`, " +
            "`task`, `delivery`, `configuration`, `session` or `upstream`) and `missed` (more than the reader took: read " +
            "again). It ends with what opened it."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("testUpstream", "/admin/v1/upstreams/:name/test")
      .setPath(Schema.Struct({ name: Schema.String.annotations({ description: "The upstream's name." }) }))
      .addSuccess(UpstreamTest)
      .annotateContext(
        OpenApi.annotations({
          summary: "Ask an upstream what it serves",
          description: "Free. A video upstream has no list and is not asked."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("logs", "/admin/v1/logs")
      .setUrlParams(Schema.Struct(LogParams))
      .addSuccess(LogLines)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read the last lines of the log",
          description:
            "Of the process that answers: its last megabyte of lines, in memory. They say what its standard output says, " +
            "from `log.level` on."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("followLogs", "/admin/v1/logs/events")
      .setUrlParams(Schema.Struct(LogParams))
      .addSuccess(EventsAnswer)
      .annotate(LongLived, true)
      .annotateContext(
        watching(
          "Follow the log",
          "Server-sent events, of the process that answers: `line` (a line of the log; first the last ones that there are) " +
            "and `missed` (more than the reader took). It ends with what opened it."
        )
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({ title: "Watching", description: "Live events, sums and what needs attention." })
  ) {}
