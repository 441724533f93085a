import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { alsoCsv } from "../contract/text/alsoCsv.ts"
import { KnownFieldsOnly, LongLived, OpenedBy, Prefixes } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { UsageParams, UsageRecord } from "../ledger/UsageRecord.ts"
import { HistogramTimes, RequestHistogram } from "../requests/RequestHistogram.ts"
import { ExportAnswer, exporting, ExportParams } from "../requests/requestExport.ts"
import { RequestPage } from "../requests/RequestPage.ts"
import { requestParams, RequestTimes } from "../requests/RequestQuery.ts"
import { RequestDetail } from "../requests/RequestView.ts"
import { TaskParams } from "../tasks/TaskParams.ts"
import { AuditRecord } from "./AuditRecord.ts"
import { DeliveryFilter } from "../callbacks/DeliveryRecord.ts"
import { DeliverySummary } from "./DeliverySummary.ts"
import { ModelRecord, UpstreamRecord } from "./UpstreamRecord.ts"
import { NodeRecord } from "./NodeRecord.ts"
import { only, PageParams, pageOf } from "../contract/paging.ts"
import { TaskSummary } from "./TaskSummary.ts"

const IdPath = Schema.Struct({ id: Schema.String.annotations({ description: "The task's id." }) })

const TaskQuery = Schema.Struct({ account: only("Only this account's."), ...TaskParams })
export type TaskQuery = typeof TaskQuery.Type

const UsageQuery = Schema.Struct({ account: only("Only this account's."), ...UsageParams })
export type UsageQuery = typeof UsageQuery.Type

const RequestsQuery = Schema.Struct({ ...requestParams, ...RequestTimes, ...PageParams })
export type RequestsQuery = typeof RequestsQuery.Type

const ExportQuery = Schema.Struct({ ...requestParams, ...RequestTimes, ...ExportParams })
export type ExportQuery = typeof ExportQuery.Type

const HistogramQuery = Schema.Struct({ ...requestParams, ...HistogramTimes })
export type HistogramQuery = typeof HistogramQuery.Type

const DeliveriesQuery = Schema.Struct({
  account: only("Only this account's."),
  task: only("Only this task's."),
  state: Schema.optional(DeliveryFilter).annotations({
    description:
      "Only those in this state; `stuck`: a try failed, and it waits for the next one, or it failed for good and " +
      "no later change of its task arrived."
  }),
  since: Schema.optional(TimeQuery).annotations({
    description: "Only changes since: a UTC day, a time, or how long ago. Default `7d`."
  }),
  ...PageParams
})
export type DeliveriesQuery = typeof DeliveriesQuery.Type

const AuditQuery = Schema.Struct({
  target: only("Only changes of this: a key's, account's or task's id; `configuration`."),
  action: only("Only these: `key.create`; or all that begin so: `key`, `configuration`."),
  actor: only("Only by this actor; or by all that begin so: `cli`, `file`."),
  account: only("Only changes of this account, of its keys, tasks and callbacks."),
  since: Schema.optional(TimeQuery).annotations({
    description: "Only changes since: a UTC day, a time, or how long ago."
  }),
  until: Schema.optional(TimeQuery).annotations({
    description: "Only changes until this time, or to the end of this day."
  }),
  sessions: Schema.optional(Schema.Literal("true", "false")).annotations({
    description: "`false` leaves out who signed in to the console, and whose session was ended."
  }),
  ...PageParams
})
export type AuditQuery = typeof AuditQuery.Type

/** Tasks, requests, usage and the audit log. Also renders unknown paths below `/admin`. */
export class AdminOperationsApi extends HttpApiGroup.make("adminOperations")
  .add(
    HttpApiEndpoint.get("listTasks", "/admin/v1/tasks")
      .setUrlParams(TaskQuery)
      .addSuccess(pageOf(TaskSummary))
      .annotateContext(OpenApi.annotations({ summary: "List tasks, newest first" }))
  )
  .add(
    HttpApiEndpoint.get("showTask", "/admin/v1/tasks/:id")
      .setPath(IdPath)
      .addSuccess(TaskSummary)
      .annotateContext(OpenApi.annotations({ summary: "Read a task's status" }))
  )
  .add(
    HttpApiEndpoint.post("cancelTask", "/admin/v1/tasks/:id/cancel")
      .setPath(IdPath)
      .addSuccess(TaskSummary)
      .annotateContext(
        OpenApi.annotations({
          summary: "Cancel a queued task",
          description: "409 for a running or ended task; 500 if its upstream can't be reached."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("usage", "/admin/v1/usage")
      .setUrlParams(UsageQuery)
      .addSuccess(UsageRecord)
      .annotateContext(alsoCsv({ summary: "Report usage, of one account or of all" }))
  )
  .add(
    HttpApiEndpoint.get("listRequests", "/admin/v1/requests")
      .setUrlParams(RequestsQuery)
      .addSuccess(RequestPage)
      .annotateContext(
        OpenApi.annotations({
          summary: "List finished requests, newest first",
          description: "A page may end early after a long stretch without matches; `next` continues from there."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("exportRequests", "/admin/v1/requests/export")
      .setUrlParams(ExportQuery)
      .addSuccess(ExportAnswer)
      .annotate(LongLived, true)
      .annotateContext(exporting)
  )
  .add(
    HttpApiEndpoint.get("requestHistogram", "/admin/v1/requests/histogram")
      .setUrlParams(HistogramQuery)
      .addSuccess(RequestHistogram)
      .annotateContext(
        OpenApi.annotations({
          summary: "Count requests by when they came and how they ended",
          description: "The number of all rows that the same filters match."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("showRequest", "/admin/v1/requests/:id")
      .setPath(Schema.Struct({ id: Schema.String.annotations({ description: "A reply's `x-request-id`." }) }))
      .addSuccess(RequestDetail)
      .annotateContext(OpenApi.annotations({ summary: "Read a request and its outcome" }))
  )
  .add(
    HttpApiEndpoint.get("listDeliveries", "/admin/v1/deliveries")
      .setUrlParams(DeliveriesQuery)
      .addSuccess(pageOf(DeliverySummary))
      .annotateContext(OpenApi.annotations({ summary: "List callbacks, newest change first" }))
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/admin/v1/deliveries/:id/redeliver")
      .setPath(Schema.Struct({ id: Schema.String.annotations({ description: "The delivery's id (`msg_…`)." }) }))
      .addSuccess(DeliverySummary)
      .annotateContext(
        OpenApi.annotations({
          summary: "Send a callback again",
          description: "Sends it now, with the same id and bytes, in any state. 409 if it waits for an earlier one."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("upstreams", "/admin/v1/upstreams")
      .addSuccess(pageOf(UpstreamRecord))
      .annotateContext(
        OpenApi.annotations({
          summary: "List upstreams and their health",
          description: "As seen by the process that answers: each process counts its own calls."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("models", "/admin/v1/models")
      .setUrlParams(
        Schema.Struct({
          since: Schema.optional(TimeQuery).annotations({
            description: "Adds each model's `use` since: a UTC day, a time, or how long ago, of the last 31 days."
          })
        })
      )
      .addSuccess(pageOf(ModelRecord))
      .annotateContext(
        OpenApi.annotations({
          summary: "List the served models with their routes, prices, capabilities and use"
        })
      )
  )
  .add(
    HttpApiEndpoint.get("nodes", "/admin/v1/nodes")
      .addSuccess(pageOf(NodeRecord))
      .annotateContext(
        OpenApi.annotations({
          summary: "List the processes that serve from the database",
          description: "With Postgres; with SQLite one process serves, and the list is empty."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("audit", "/admin/v1/audit")
      .setUrlParams(AuditQuery)
      .addSuccess(pageOf(AuditRecord))
      .annotateContext(OpenApi.annotations({ summary: "List changes, newest first" }))
  )
  .add(
    HttpApiEndpoint.get("showAudit", "/admin/v1/audit/:id")
      .setPath(
        Schema.Struct({
          id: Schema.String.pipe(
            Schema.pattern(/^[1-9]\d{0,15}$/),
            Schema.annotations({ description: "The entry's id." })
          )
        })
      )
      .addSuccess(AuditRecord)
      .annotateContext(OpenApi.annotations({ summary: "Read a change" }))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotate(Prefixes, ["/admin"])
  .annotateContext(
    OpenApi.annotations({
      title: "Operations",
      description: "Tasks and requests of every account, usage, and the audit log."
    })
  ) {}
