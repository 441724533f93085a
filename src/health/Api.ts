import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema, Struct } from "effect"
import { Public } from "../contract/annotations.ts"
import { failureRows } from "../contract/failures/failureRows.ts"
import { codedBody, failureUnion } from "../contract/wire.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Health" })

const Readiness = Schema.Struct({
  status: Schema.Literal("ok"),
  oldest_expired_lease_seconds: Schema.Int.annotations({
    description: "How long the oldest abandoned task has waited for another worker; 0 if there is none."
  }),
  limits: Schema.Literal("process", "redis", "process while redis is away").annotations({
    description: "The place where limits are counted: this process, or Redis for all processes."
  }),
  files: Schema.Literal("ok", "away").annotations({
    description: "`ok` if the file storage was reachable when last checked."
  })
}).annotations({ identifier: "Readiness" })

/** Probes only read the status, but failures have the gateway's error body. */
const HealthError = failureUnion(
  "Health",
  {
    ...Struct.pick(failureRows, "InvalidRequest", "AuthMissing", "AuthInvalid", "Forbidden", "UnknownRoute"),
    ...Struct.pick(failureRows, "TooLarge", "UnsupportedEncoding", "Undecodable", "RateLimited", "Internal"),
    UpstreamFailed: failureRows.Unavailable,
    Unavailable: failureRows.Unavailable
  },
  codedBody({ param: true })
)

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/healthz")
      .addSuccess(Health)
      .annotate(OpenApi.Summary, "Liveness")
      .annotate(OpenApi.Description, "200 as long as the process answers.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Readiness)
      .annotate(OpenApi.Summary, "Readiness")
      .annotate(
        OpenApi.Description,
        "200 while the gateway accepts requests. 503 with the reason while it shuts down, its database does not store writes, or a background job has failed for five seconds."
      )
  )
  .addError(HealthError)
  .annotateEndpoints(Public, true)
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "For load balancers and supervisors; no key needed.") {}
