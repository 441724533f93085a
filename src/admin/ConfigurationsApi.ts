import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"
import { PageParams, pageOf } from "../contract/paging.ts"
import { ConfigurationDocument, ConfigurationRecord } from "./ConfigurationRecord.ts"

const Version = Schema.String.pipe(
  Schema.pattern(/^(newest|[1-9]\d{0,8})$/),
  Schema.annotations({ description: "Its number, or `newest`." })
)

const Earlier = Schema.String.pipe(
  Schema.pattern(/^(previous|[1-9]\d{0,8})$/),
  Schema.annotations({ description: "Its number, or `previous`: the one before the newest." })
)

const NewConfiguration = Schema.Struct({
  document: answerField(Schema.String, "A `gateway.yaml`, whose secrets are variables of each node's environment."),
  note: Schema.optional(Schema.NullOr(Schema.String.pipe(Schema.maxLength(1_000)))).annotations({
    description: "A note for the history."
  })
}).annotations({ identifier: "ApplyConfiguration" })

/** `/admin/v1/configurations`. */
export class AdminConfigurationsApi extends HttpApiGroup.make("adminConfigurations")
  .add(
    HttpApiEndpoint.get("list", "/admin/v1/configurations")
      .setUrlParams(Schema.Struct({ limit: PageParams.limit }))
      .addSuccess(pageOf(ConfigurationRecord))
      .annotateContext(OpenApi.annotations({ summary: "List applied configurations, newest first" }))
  )
  .add(
    HttpApiEndpoint.get("show", "/admin/v1/configurations/:version")
      .setPath(Schema.Struct({ version: Version }))
      .addSuccess(ConfigurationDocument)
      .annotateContext(OpenApi.annotations({ summary: "Read a version" }))
  )
  .add(
    HttpApiEndpoint.post("apply", "/admin/v1/configurations")
      .setPayload(NewConfiguration)
      .addSuccess(ConfigurationRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Apply a configuration to all nodes",
          description:
            "The answering node validates it first, with its own environment; an invalid document, or one that contains a " +
            "secret, is refused with a 400 that says where. Nodes that run with `GATEWAY_CONFIG=postgres` load it."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("reapply", "/admin/v1/configurations/:version/apply")
      .setPath(Schema.Struct({ version: Earlier }))
      .addSuccess(ConfigurationRecord)
      .annotateContext(OpenApi.annotations({ summary: "Apply an earlier version again" }))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(BodyLimit, 1024 * 1024)
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({ title: "Configuration", description: "The configuration in the database." })
  ) {}
