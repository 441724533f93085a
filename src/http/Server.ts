import type { PermittedModel } from "../contract/callers/permission.ts"
import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Clock, Context, Data, Duration, Effect, Layer, Option, Schedule } from "effect"
import { Access } from "../access/Access.ts"
import { handlersTag } from "../contract/handlers.ts"
import type { AnyHandlers, HandlersOfAll } from "../contract/handlers.ts"
import { testDouble } from "../contract/testDouble.ts"
import type { Daemons } from "../flow/Daemons.ts"
import { Lifecycle } from "../flow/Lifecycle.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { Limits } from "../limits/Limits.ts"
import type { AccessLog } from "../telemetry/AccessLog.ts"
import { BodyLog } from "../telemetry/BodyLog.ts"
import { makeRequestEnded } from "../telemetry/requestEnded.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { makeRequestIds } from "./answer.ts"
import { readCertificate } from "./Certificate.ts"
import type { BadCertificate, CertificateFiles } from "./Certificate.ts"
import { compile } from "./compile.ts"
import { corsOf } from "./cors.ts"
import type { Cors } from "./cors.ts"
import { fallback, serveRoute } from "./route.ts"
import type { Authenticators, Server, Serving } from "./exchange.ts"
import { Listener } from "./Listener.ts"
import type { Listen } from "./Listener.ts"
import { otherPaths } from "./misspelt.ts"
import { renewCertificate, warnOfEnd } from "./renewCertificate.ts"
import { shedConnections } from "./shedConnections.ts"
import type { Socket } from "./Socket.ts"
import { makeSockets } from "./sockets.ts"
import { Unfinished } from "./Unfinished.ts"

export interface ServerOptions {
  readonly hostname: string
  /** 0 picks a free port. */
  readonly port: number
  /** In bytes, for groups without a limit of their own. */
  readonly bodyLimit: number
  /** How long running requests and streams may continue after a stop. */
  readonly drainDeadline: Duration.Duration
  /**
   * How long new requests are served after a stop, while readiness fails. Then the listener closes. Defaults to no
   * time.
   */
  readonly leaveTime?: Duration.Duration
  /** True to check answers against the contract before they are sent, as tests do. */
  readonly checkAnswers: boolean
  /** How long a client may be silent while its request is read, in whole seconds. Defaults to 60. */
  readonly idleSeconds?: number
  /**
   * How long a client may read nothing of its answer, or keep an idle connection, in whole seconds. Defaults to 124.
   */
  readonly takingSeconds?: number
  /** Origins of web pages that may call the gateway. */
  readonly corsOrigins: ReadonlyArray<string>
  /** The model that a name is an alias of; absent if there are no aliases. */
  readonly aliasOf?: (model: string) => Omit<PermittedModel, "id"> | undefined
  /** The authenticators of the contract's security schemes. Defaults to callers' keys alone. */
  readonly authenticators?: Authenticators
  /** Bounds what unfinished requests hold together. Defaults to shares of the process's limits. */
  readonly unfinished?: Unfinished
  /** The TLS certificate, read again when its files change. Absent: no TLS. */
  readonly tls?: CertificateFiles
  /** A second address, which serves everything. The first one then lacks what only operators need. */
  readonly admin?: AdminEntry
}

/** The operators' own address. Web pages of other origins may not call it. */
export interface AdminEntry {
  readonly hostname: string
  readonly port: number
  readonly tls?: CertificateFiles
  readonly pages: Pages
  readonly authenticators: Authenticators
}

/** One of the addresses of a server. */
interface Entry extends AdminEntry {
  /** The setting that it is of. */
  readonly setting: "server" | "server.admin"
  readonly cors: Cors | undefined
  /** True without the endpoints that only operators need. */
  readonly isPublicAlone: boolean
}

/** The server cannot listen on its address. The message is one line for the operator. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** The reason that a server does not start. */
export type ListenFailure = BadCertificate | CannotListen

/** True if other processes listen on the same address and share its connections. */
export class SharesPort extends Context.Reference<SharesPort>()("gateway/http/SharesPort", {
  defaultValue: () => false
}) {}

/** How long clients of a replaced process are told to close their connections. */
const replacedTime = Duration.seconds(1)

/** The addresses the server listens on. */
export class Address extends Context.Tag("gateway/http/Address")<
  Address,
  {
    readonly url: URL
    /** The one of the admin API and the console: the same where they have none of their own. */
    readonly admin: URL
  }
>() {
  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof Address)["Service"]>) => testDouble(Address, given)
}

/** Pages that are not part of the contract (`/docs`, `/console`, `POST /sign-in/logout`): path → answer; undefined where there is nothing for this request. */
export type Pages = Readonly<
  Record<string, (request: Request, server: Server) => Response | Promise<Response> | undefined>
>

/**
 * Serves a contract on `Bun.serve`, by plain calls up to the handler: route → authenticate → rate limit → body → decode
 * path and body → handler. Handlers are services, so a group without handlers does not compile.
 */
export const serve = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  pages: Pages,
  options: ServerOptions
): Layer.Layer<
  Address,
  ListenFailure,
  HandlersOfAll<Groups> | Access | AccessLog | Daemons | Idempotency | Lifecycle | Limits
> =>
  Layer.scoped(
    Address,
    Effect.gen(function* () {
      const lifecycle = yield* Lifecycle
      const access = yield* Access
      const limits = yield* Limits
      const services = yield* Effect.context<HandlersOfAll<Groups>>()
      const handlersOf = (group: string): Option.Option<AnyHandlers> => Context.getOption(services, handlersTag(group))
      const tracing = yield* CurrentTracing
      const shared: Serving = {
        runtime: yield* Effect.runtime(),
        access: { authenticate: access.authenticate, admit: limits.admit },
        idempotency: yield* Idempotency,
        ended: yield* makeRequestEnded,
        unfinished: options.unfinished ?? new Unfinished(),
        bodies: yield* BodyLog,
        tracing,
        metrics: yield* Metrics,
        lifecycle,
        idleSeconds: options.idleSeconds ?? 60,
        // Streams end their own readers after two minutes, with an error. This limit is for the rest of them, and for
        // other answers.
        takingSeconds: options.takingSeconds ?? 124,
        cors: undefined,
        aliasOf: options.aliasOf ?? (() => undefined),
        newRequestId: makeRequestIds()
      }
      const reusePort = yield* SharesPort
      const compiled = compile(api, options)
      const sockets = makeSockets(shared)
      const open = (entry: Entry) =>
        Effect.gen(function* () {
          const serving = { ...shared, cors: entry.cors }
          const isServed = ({ isForOperators }: { readonly isForOperators: boolean }) =>
            !entry.isPublicAlone || !isForOperators
          const authenticators: Authenticators = { "api-key": serving.access, ...entry.authenticators }
          const otherwise = fallback(serving, compiled.fallbacks.filter(isServed))
          const table: Record<
            string,
            Record<string, Bun.Serve.Handler<Bun.BunRequest, Bun.Server<Socket>, Response | undefined>>
          > = {}
          for (const route of compiled.routes.filter(isServed)) {
            const handler = Option.getOrUndefined(handlersOf(route.group))?.[route.name]
            if (handler === undefined) return yield* Effect.dieMessage(`${route.group}.${route.name} has no handler`)
            const methods = (table[route.path] ??= {})
            const authenticator = authenticators[route.openedBy]
            if (authenticator === undefined)
              return yield* Effect.dieMessage(`no authenticator for ${route.group}.${route.name}`)
            methods[route.method] = serveRoute({ ...serving, access: authenticator }, route, handler)
            if (route.socketEvent !== null) {
              methods["GET"] = sockets.upgrade(route, route.socketEvent, handler, otherwise)
            }
            for (const path of otherPaths(route.path)) table[path] = methods
          }
          for (const [place, page] of Object.entries(entry.pages)) {
            const [path = place, method = "GET"] = place.split(" ").toReversed()
            table[path] = {
              ...table[path],
              [method]: (request, server) => page(request, server) ?? otherwise(request, server)
            }
          }

          const certificate = entry.tls === undefined ? undefined : yield* readCertificate(entry.tls, entry.setting)
          const listen: Listen = (port, shown) =>
            Bun.serve({
              hostname: entry.hostname,
              port,
              ...(shown === undefined ? {} : { tls: { cert: shown.cert, key: shown.key } }),
              // By default Bun would share a port that is in use, and each process would get some of the requests.
              reusePort,
              // In development mode Bun answers an uncaught error with a page that shows source code.
              development: false,
              // Every route has its own limit (`body.ts`), because Bun's 413 has an empty body.
              maxRequestBodySize: Number.MAX_SAFE_INTEGER,
              // For the time in which a request is read. It is lifted once a handler waits.
              idleTimeout: serving.idleSeconds,
              routes: table,
              fetch: otherwise,
              websocket: sockets.websocket(),
              error: () => new Response(null, { status: 500 })
            })
          const begin = Effect.try({
            try: () => new Listener(listen, entry.port, certificate),
            catch: (cause) => cannotListen(entry, cause)
          })
          const listener = yield* Effect.acquireRelease(begin, (listener) => Effect.promise(() => listener.stop()))
          return { ...entry, listener, certificate }
        })

      /**
       * Drains: readiness fails at once, running work gets its time, then streams end in-band and handlers are
       * interrupted.
       */
      const drain = (listeners: ReadonlyArray<Listener>) => {
        const idle = Effect.sync(
          () => listeners.every(({ pendingRequests }) => pendingRequests === 0) && sockets.isIdle()
        ).pipe(Effect.repeat({ until: (none) => none, schedule: Schedule.spaced("20 millis") }), Effect.interruptible)
        /** Keeps serving for a while and tells clients to close their connections, then closes the listeners. */
        const left = Effect.suspend(() => {
          const isReplaced = lifecycle.isLeaving()
          const time = isReplaced ? replacedTime : (options.leaveTime ?? Duration.zero)
          if (Duration.toMillis(time) === 0) return Effect.void
          if (!isReplaced) lifecycle.leave("stopping")
          return Effect.zipRight(
            Effect.sleep(time),
            Effect.sync(() => listeners.forEach((listener) => listener.close()))
          )
        })
        return left.pipe(
          Effect.zipRight(Effect.sync(lifecycle.drain)),
          Effect.zipRight(Effect.sync(sockets.drain)),
          Effect.zipRight(Effect.timeoutOption(idle, options.drainDeadline)),
          Effect.zipRight(Effect.sync(lifecycle.endRunning)),
          Effect.zipRight(Effect.timeoutOption(idle, "2 seconds")),
          // Real time, also under `TestClock`, because connections are real.
          Effect.withClock(Clock.make())
        )
      }

      const { admin } = options
      // First, so that the public address serves nothing if this one fails.
      const apart =
        admin === undefined
          ? undefined
          : yield* open({ ...admin, setting: "server.admin", cors: undefined, isPublicAlone: false })
      const main = yield* open({
        ...options,
        pages,
        authenticators: options.authenticators ?? {},
        setting: "server",
        cors: corsOf(options.corsOrigins),
        isPublicAlone: admin !== undefined
      })
      const opened = apart === undefined ? [main] : [main, apart]
      const listeners = opened.map(({ listener }) => listener)
      yield* Effect.addFinalizer(() => drain(listeners))
      for (const { certificate, listener, setting, tls } of opened) {
        if (tls !== undefined) yield* renewCertificate(tls, setting, (next) => listener.renew(next))
        if (certificate !== undefined) yield* warnOfEnd(certificate, setting)
      }
      yield* shedConnections(listeners)
      return { url: main.listener.url, admin: (apart ?? main).listener.url }
    })
  )

const cannotListen = ({ hostname, port, setting }: Entry, cause: unknown): CannotListen => {
  const address = `${hostname}:${port}${setting === "server" ? "" : ` (${setting})`}`
  switch (cause instanceof Error && "code" in cause ? cause.code : undefined) {
    case "EADDRINUSE":
      return new CannotListen({ message: `can't listen on ${address}: the port is in use` })
    case "EACCES":
      return new CannotListen({ message: `can't listen on ${address}: not permitted to` })
    default:
      return new CannotListen({ message: `can't listen on ${address}: this machine has no such address` })
  }
}
