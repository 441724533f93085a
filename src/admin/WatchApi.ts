import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { KnownFieldsOnly, LongLived, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"
import { EventsAnswer, eventsAnnotations } from "../feed/eventsAnswer.ts"
import { LogLines, LogParams } from "./LogLines.ts"
import { requestLabels } from "../requests/labels.ts"
import { OverviewTimes } from "../requests/OverviewSums.ts"
import { pageOf } from "../contract/paging.ts"
import { Attention, OverviewRecord } from "./OverviewRecord.ts"

/** The result of asking an upstream for its models. */
export const UpstreamTest = Schema.Struct({
  object: Schema.Literal("upstream_test"),
  name: answerField(Schema.String, "The upstream."),
  ok: answerField(Schema.Boolean, "True if it answered with a list of models."),
  ms: answerField(Schema.Int, "The duration in ms."),
  models: answerField(Schema.NullOr(Schema.Array(Schema.String)), "Models it lists; null if it has no list."),
  error: answerField(Schema.NullOr(Schema.String), "The error; null if there was none.")
}).annotations({ identifier: "UpstreamTest" })

/** Sums, live events and logs. */
export class AdminWatchApi extends HttpApiGroup.make("adminWatch")
  .add(
    HttpApiEndpoint.get("overview", "/admin/v1/overview")
      .setUrlParams(
        Schema.Struct({
          ...OverviewTimes,
          by: Schema.optional(Schema.Literal("model", "upstream", "key", "account", ...requestLabels)).annotations({
            description: "The grouping. Default `model`."
          })
        })
      )
      .addSuccess(OverviewRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Sums of requests, and current problems",
          description:
            "Counts, costs and tokens are exact. Steps of an hour or more use the hours' sums, shorter steps the stored " +
            "requests. Percentiles use at most 20000 requests, groups by tag, end user or service tier at most 100000."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("attention", "/admin/v1/attention")
      .addSuccess(pageOf(Attention))
      .annotateContext(
        OpenApi.annotations({
          summary: "List what needs attention, the worst first",
          description: "As seen by the process that answers: each process has its own circuits and background jobs."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("events", "/admin/v1/events")
      .setUrlParams(
        Schema.Struct({
          account: Schema.optional(Schema.String).annotations({
            description: "The account to watch, of a role that reaches several; in place of `x-gateway-account`."
          })
        })
      )
      .addSuccess(EventsAnswer)
      .annotate(LongLived, true)
      .annotateContext(
        eventsAnnotations(
          "Watch events",
          "Server-sent events, of every node: `ready` (from here on nothing is missed), `request` (an array of requests " +
            "that are over), `skipped` (`{requests}`: the number of others), `changed` (`{what, ids}`: `key`, `account`, " +
            "`task`, `delivery`, `configuration`, `session` or `upstream`) and `missed` (the reader was too slow: " +
            "read again). It ends when its key or session does."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("testUpstream", "/admin/v1/upstreams/:name/test")
      .setPath(Schema.Struct({ name: Schema.String.annotations({ description: "The upstream's name." }) }))
      .addSuccess(UpstreamTest)
      .annotateContext(
        OpenApi.annotations({
          summary: "List the models of an upstream",
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
            "The last megabyte of the answering process's log, from memory: the same lines as on its standard output, from " +
            "`log.level` on."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("followLogs", "/admin/v1/logs/events")
      .setUrlParams(Schema.Struct(LogParams))
      .addSuccess(EventsAnswer)
      .annotate(LongLived, true)
      .annotateContext(
        eventsAnnotations(
          "Follow the log",
          "Server-sent events of the answering process: `line` (a line of the log, beginning with the most recent ones) and " +
            "`missed` (the reader was too slow). It ends when its key or session does."
        )
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({ title: "Watching", description: "Live events, sums and current problems." })
  ) {}
