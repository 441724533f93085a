import { Effect, Layer, Option } from "effect"
import { DeclaredKeysLive } from "./access/DeclaredKeys.ts"
import { forOperators } from "./admin/forOperators.ts"
import { AdminApi } from "./admin/Api.ts"
import { GatewayApi } from "./Api.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { Settings } from "./config/Settings.ts"
import { MetricsPage } from "./health/MetricsPage.ts"
import { ConsoleApi } from "./console/Api.ts"
import { SessionAuthenticators } from "./console/SessionAuthenticators.ts"
import { ConsoleHandlers } from "./console/Handlers.ts"
import { consolePages } from "./console/servedPage.ts"
import { Sessions } from "./console/Sessions.ts"
import { docsPages } from "./http/docs.ts"
import { Listening, serve } from "./http/Server.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { KeptAnswersExpiry } from "./idempotency/store/KeptAnswers.ts"
import { RequestsLive } from "./requests/RequestsLive.ts"

/** Bytes a body may have where its family sets no limit of its own. */
const bodyLimit = 32 * 1024 * 1024

/** Who may ask what, and who is signed in. */
const ConsoleLive = ConsoleHandlers.pipe(
  Layer.provideMerge(SessionAuthenticators.Default),
  Layer.provide(Sessions.Default)
)

/** The operator's contract, with who is signed in. */
const OperatorApi = AdminApi.addHttpApi(ConsoleApi)

/** What is served: the gateway's contract, and the operator's to the operator's key and to whoever is signed in as one. */
export const ServerLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { adminKey, server } = yield* Settings
    const metrics = yield* MetricsPage
    const { doors } = yield* SessionAuthenticators
    const options = {
      hostname: server.host,
      port: server.port,
      bodyLimit,
      drainDeadline: server.drainDeadline,
      leaveTime: server.leaveTime,
      checkAnswers: server.checkAnswers,
      corsOrigins: server.corsOrigins,
      doors,
      ...(Option.isSome(server.tls) ? { tls: server.tls.value } : {})
    }
    const watched = server.metrics ? { "/metrics": metrics.answer } : {}
    const adminPages = Option.isSome(adminKey)
      ? {
          "/metrics": forOperators(doors["admin-key"], metrics.answer),
          ...watched,
          ...docsPages(OperatorApi, "/admin")
        }
      : watched
    const pages = { ...docsPages(GatewayApi), ...consolePages(Option.getOrUndefined(server.publicUrl)), ...adminPages }
    return serve(GatewayApi.addHttpApi(OperatorApi), pages, options)
  })
).pipe(
  Layer.provide(ConsoleLive),
  Layer.provide(Layer.mergeAll(DeclaredKeysLive, Idempotency.Default, KeptAnswersExpiry, RequestsLive))
)

/** Links to the gateway's own files begin with where it listens, unless the operator says otherwise. */
export const ListeningLive = Layer.effectDiscard(
  Effect.flatMap(Listening, ({ url }) => Effect.flatMap(PublicUrl, ({ listensOn }) => listensOn(url)))
)
