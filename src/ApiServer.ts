import { Effect, Layer, Option } from "effect"
import { DeclaredKeysLive } from "./access/DeclaredKeys.ts"
import { SpendingCaps } from "./access/SpendingCaps.ts"
import { forOperators } from "./admin/forOperators.ts"
import { noMcpStream } from "./mcp/endpoint/noMcpStream.ts"
import { AdminApi } from "./admin/Api.ts"
import { GatewayApi } from "./Api.ts"
import { Catalogue } from "./catalogue/Catalogue.ts"
import { Configuration } from "./config/Configuration.ts"
import { EntryPoints } from "./config/EntryPoints.ts"
import type { EntryPoint } from "./config/EntryPoints.ts"
import { publicPath } from "./config/publicPath.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { Settings } from "./config/Settings.ts"
import type { GatewaySettings } from "./config/Settings.ts"
import { MetricsPage } from "./health/MetricsPage.ts"
import { ConsoleApi } from "./people/signIn/Api.ts"
import { SessionAuthenticators } from "./people/signIn/SessionAuthenticators.ts"
import { ConsoleHandlers } from "./people/signIn/Handlers.ts"
import { consolePages } from "./console/servedPage.ts"
import { rolesOf } from "./people/signIn/reach.ts"
import { Sessions } from "./people/signIn/Sessions.ts"
import { PeopleChecks } from "./people/signIn/PeopleChecks.ts"
import { PeopleChecksLive } from "./people/signIn/PeopleChecksLive.ts"
import { ProviderSessions } from "./people/signIn/ProviderSessions.ts"
import { makeSignInPages } from "./console/signInPages.ts"
import { AgentSignIns } from "./people/programs/AgentSignIns.ts"
import { CodeSignIns } from "./people/programs/codes/CodeSignIns.ts"
import { ProgramTokens } from "./people/programs/ProgramTokens.ts"
import { ToolsContract } from "./people/tools/Api.ts"
import { ToolsHandlers } from "./people/tools/Handlers.ts"
import { ToolConnections } from "./people/tools/ToolConnections.ts"
import { makeAgentPages } from "./console/agents/agentPages.ts"
import { DevicesContract } from "./people/programs/Api.ts"
import { DevicesHandlers } from "./people/programs/Handlers.ts"
import { makeCodePages } from "./console/codePages.ts"
import { makeConnectPages } from "./console/connectPages.ts"
import { makeOAuthPages } from "./console/oauthPages.ts"
import { AdminKeys, hasAdminKey } from "./access/AdminKeys.ts"
import { Providers } from "./people/Providers.ts"
import { SignIns } from "./people/SignIns.ts"
import { docsPages } from "./http/docs.ts"
import { Address, serve } from "./http/Server.ts"
import type { Pages } from "./http/Server.ts"
import { Unfinished } from "./http/Unfinished.ts"
import { KeptAnswersExpiry } from "./idempotency/store/KeptAnswers.ts"
import { UsageReport } from "./ledger/store/UsageReport.ts"
import { RequestsLive } from "./requests/RequestsLive.ts"

/** Bytes of a body where its family sets no limit of its own. */
const bodyLimit = 32 * 1024 * 1024

const ConsoleLive = Layer.mergeAll(ConsoleHandlers, DevicesHandlers, ToolsHandlers, PeopleChecksLive).pipe(
  Layer.provideMerge(
    Layer.mergeAll(AgentSignIns.Default, CodeSignIns.Default, ProgramTokens.Default, ToolConnections.Default)
  ),
  Layer.provideMerge(SessionAuthenticators.Default),
  Layer.provideMerge(Layer.mergeAll(Sessions.Default, ProviderSessions.Default, SignIns.Default)),
  Layer.provide(PeopleChecks.Default),
  Layer.provideMerge(Layer.mergeAll(AdminKeys.Default, Providers.Default))
)

const AgentPagesNeeds = Layer.merge(SpendingCaps.Default, UsageReport.Default)

/** The operator's contract with the console's. */
const OperatorApi = AdminApi.addHttpApi(ConsoleApi).addHttpApi(DevicesContract).addHttpApi(ToolsContract)

/** The server: the gateway's contract, the operator's contract, documentation, the console and metrics. */
export const ApiServer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { adminKey, file, server } = yield* Settings
    const metrics = yield* MetricsPage
    const entryPoints = yield* EntryPoints
    const providers = yield* Providers
    const catalogue = yield* Catalogue
    const configuration = yield* Configuration
    const { authenticatorsAt } = yield* SessionAuthenticators
    const unfinished = new Unfinished()
    yield* configuration.follow(({ value }) => Effect.succeed(() => unfinished.bound(value.limits?.unfinished)))
    const isAdministered = hasAdminKey({ adminKey }, file) || file.value.sign_in?.oidc !== undefined
    const agentPages = yield* makeAgentPages
    // Claude Code asks for it when it starts.
    const hello = { "/api/hello": () => Response.json({ message: "hello" }) }

    /** The pages and authenticators of an address. */
    const entry = Effect.fnUntraced(function* (at: EntryPoint) {
      const authenticators = authenticatorsAt(at)
      const base = publicPath(at.configuredUrl)
      const noStream = forOperators(authenticators["api-key"], "stream", () => Promise.resolve(noMcpStream()), "mcp")
      const mcpPages = Object.fromEntries(
        ["/mcp", "/mcp/:server"].flatMap((path) => ["GET", "DELETE"].map((method) => [`${method} ${path}`, noStream]))
      )
      const pages: Pages = {
        ...hello,
        ...mcpPages,
        ...docsPages(GatewayApi, "", base),
        ...consolePages(at, entryPoints.public, () => (providers.rules()?.providers.size ?? 0) > 0),
        ...(yield* makeSignInPages(at)),
        ...(yield* makeOAuthPages(at)),
        ...(yield* makeCodePages(at)),
        ...(yield* makeConnectPages(at)),
        ...agentPages
      }
      if (at.name === "public") return { authenticators, pages }
      const watched = server.metrics ? { "/metrics": metrics.answer } : {}
      const operators = isAdministered
        ? {
            "/metrics": forOperators(authenticators["admin-key"], "metrics", metrics.answer),
            ...watched,
            ...docsPages(OperatorApi, "/admin", base, rolesOf)
          }
        : watched
      return { authenticators, pages: { ...pages, ...operators } }
    })

    const main = yield* entry(entryPoints.public)
    const admin = Option.isSome(server.admin)
      ? { ...listenOptions(server.admin.value), ...(yield* entry(entryPoints.admin)) }
      : undefined
    const options = {
      ...listenOptions(server),
      bodyLimit,
      drainDeadline: server.drainDeadline,
      leaveTime: server.leaveTime,
      checkAnswers: server.checkAnswers,
      corsOrigins: server.corsOrigins,
      authenticators: main.authenticators,
      aliasOf: (model: string) => catalogue.get(model),
      unfinished,
      ...(admin === undefined ? {} : { admin })
    }
    return serve(GatewayApi.addHttpApi(OperatorApi), main.pages, options)
  })
).pipe(
  Layer.provide(ConsoleLive),
  Layer.provide(AgentPagesNeeds),
  Layer.provide(Layer.mergeAll(DeclaredKeysLive, KeptAnswersExpiry, RequestsLive))
)

const listenOptions = ({ host, port, tls }: Pick<GatewaySettings["server"], "host" | "port" | "tls">) => ({
  hostname: host,
  port,
  ...(Option.isSome(tls) ? { tls: tls.value } : {})
})

/** Tells the addresses, which links begin with unless others are configured. */
export const PublicAddressLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const { admin, url } = yield* Address
    const { listensOn } = yield* PublicUrl
    const { adminListensOn } = yield* EntryPoints
    yield* Effect.zipRight(listensOn(url), adminListensOn(admin))
  })
)
