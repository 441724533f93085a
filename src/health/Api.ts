import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Public } from "../contract/annotations.ts"
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
    InvalidRequest: { status: 400, code: "invalid_params", type: "invalid_request_error" },
    AuthMissing: { status: 401, code: "auth_invalid", type: "authentication_error" },
    AuthInvalid: { status: 401, code: "auth_invalid", type: "authentication_error" },
    Forbidden: { status: 403, code: "permission_error", type: "permission_error" },
    UnknownRoute: { status: 404, code: "invalid_request_error", type: "invalid_request_error" },
    TooLarge: { status: 413, code: "invalid_params", type: "invalid_request_error" },
    UnsupportedEncoding: { status: 415, code: "invalid_params", type: "invalid_request_error" },
    Undecodable: { status: 422, code: "invalid_params", type: "invalid_request_error" },
    RateLimited: { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" },
    Internal: { status: 500, code: "server_error", type: "server_error" },
    UpstreamFailed: { status: 503, code: "server_error", type: "server_error" },
    Unavailable: { status: 503, code: "server_error", type: "server_error" }
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
