import { Effect, Either } from "effect"
import { Access } from "../../access/Access.ts"
import { SpendingCaps } from "../../access/SpendingCaps.ts"
import { withAgentModels } from "../../catalogue/agentModels.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { Configuration } from "../../config/Configuration.ts"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { runPage } from "../runPage.ts"
import { messagesErrors } from "../../contract/failures/anthropicErrors.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import { forbidden } from "../../contract/callers/permission.ts"
import { UsageReport } from "../../ledger/store/UsageReport.ts"
import { policyOf } from "./managedSettings.ts"
import type { Policy } from "./managedSettings.ts"
import { opencodeConfig, opencodeConfigPath, opencodeTools, usableModels } from "./opencode.ts"
import { spendOf, usageOf } from "./usage.ts"

/**
 * The pages that Claude Code asks for at a gateway, beside messages: pushed settings, what was spent, and its telemetry,
 * which is discarded; and opencode's configuration.
 */
export const makeAgentPages = Effect.gen(function* () {
  const access = yield* Access
  const caps = yield* SpendingCaps
  const catalogue = yield* Catalogue
  const publicUrl = yield* PublicUrl
  const report = yield* UsageReport
  const runtime = yield* Effect.runtime()
  let configured: object | undefined
  let policy: Policy | undefined
  let hasPeople = false
  let toolServers: ReadonlyArray<string> = []
  const { follow } = yield* Configuration
  yield* follow(({ value: { mcp, sign_in } }) =>
    Effect.sync(() => {
      const next = sign_in?.managed_settings
      return () => {
        configured = next
        policy = next === undefined ? undefined : policyOf(next)
        hasPeople = sign_in?.oidc !== undefined
        toolServers = Object.keys(mcp?.servers ?? {})
      }
    })
  )

  /** A page for callers. */
  const page =
    (answer: (caller: Caller, request: Request) => Effect.Effect<Response>) =>
    async (request: Request): Promise<Response> =>
      runPage(
        runtime,
        Effect.flatMap(Effect.either(access.authenticate(request.headers)), (opened) => {
          if (Either.isRight(opened)) return answer(opened.right, request)
          const { status, type } = messagesErrors[opened.left._tag]
          return Effect.succeed(
            Response.json(
              { type: "error", error: { type, message: opened.left.message } },
              { status, headers: status === 401 ? { "x-should-retry": "false" } : {} }
            )
          )
        }),
        broken
      )

  /** The configured settings, and the models that the person may use where the client's own may not be. */
  const policyFor = (caller: Caller): Policy | undefined => {
    if (!hasPeople) return policy
    const may = (model: Model | undefined) => model?.kind === "text" && forbidden(caller, model) === undefined
    const known = configured ?? nothing
    const usable = usableModels(caller, catalogue.values()).map(({ id }) => id)
    const settings = withAgentModels(known, usable, (id) => may(catalogue.get(id)))
    return settings === known ? policy : policyOf(settings)
  }

  const settings = (caller: Caller, request: Request): Effect.Effect<Response> =>
    Effect.sync(() => {
      const policy = policyFor(caller)
      if (policy === undefined) return Response.json(noPolicy, { status: 404 })
      const headers = { etag: `"${policy.checksum}"`, "cache-control": "no-store" }
      return request.headers.get("if-none-match") === headers.etag
        ? new Response(null, { status: 304, headers })
        : Response.json(policy, { headers })
    })

  const usage = (caller: Caller): Effect.Effect<Response> =>
    Effect.gen(function* () {
      const all = yield* caps.of(caller)
      const answer = usageOf(all, all.length > 0 ? undefined : yield* spendOf(report, caller))
      return Response.json(answer, { headers: { "cache-control": "no-store" } })
    })

  const opencode = (caller: Caller): Effect.Effect<Response> =>
    Effect.map(publicUrl.get, (url) =>
      Response.json(
        { ...opencodeConfig(url, caller, catalogue.values()), ...opencodeTools(url, caller, toolServers) },
        { headers: { "cache-control": "no-store" } }
      )
    )

  const discarded = page(() => Effect.sync(() => Response.json({})))

  return {
    "/managed/settings": page(settings),
    "/api/oauth/usage": page(usage),
    [opencodeConfigPath]: page(opencode),
    "POST /v1/metrics": discarded,
    "POST /v1/logs": discarded,
    "POST /v1/traces": discarded
  } as const
})

const broken = (): Response =>
  Response.json({ type: "error", error: { type: "api_error", message: "Internal error" } }, { status: 500 })

const nothing = {}

const noPolicy = {
  type: "error",
  error: { type: "not_found_error", message: "This gateway pushes no settings" }
}
