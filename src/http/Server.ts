import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Context, Data, Effect, Layer, Option, Schedule } from "effect"
import type { Duration } from "effect"
import { Access } from "../access/Access.ts"
import { handlersTag } from "../contract/handlers.ts"
import type { AnyHandlers, HandlersOfAll } from "../contract/handlers.ts"
import { Lifecycle } from "../health/Lifecycle.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { AccessLog } from "../telemetry/AccessLog.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { compile } from "./compile.ts"
import { corsOf } from "./cors.ts"
import { fallback, serveRoute } from "./route.ts"
import type { Authenticator, Serving } from "./route.ts"

export interface ServerOptions {
  readonly hostname: string
  /** 0 picks a free one. */
  readonly port: number
  /** Bytes, for groups that set no limit of their own. */
  readonly bodyLimit: number
  /** How long running requests and streams may go on after the server was told to stop. */
  readonly drainDeadline: Duration.Duration
  /** Whether answers are checked against the contract before they leave; on in tests. */
  readonly checkAnswers: boolean
  /** Origins of pages that may call from a browser. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Opens the endpoints that only those who run the gateway may call; absent where the contract has none. */
  readonly admin?: Authenticator
}

/** The address can't be listened on; the message is one line for the operator. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** The address the server listens on. */
export class Listening extends Context.Tag("gateway/http/Listening")<Listening, { readonly url: URL }>() {}

/** Pages that are not part of the contract (`/docs`, `/openapi.json`): path → answer, made once at start. */
export type Pages = Readonly<Record<string, () => Response | Promise<Response>>>

/**
 * Serves a contract on Bun's native routes, one fiber a request: route → authenticate → rate limit → body → decode path
 * and body → handler. The contract's handlers are services, so a group without handlers does not compile.
 */
export const serve = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  pages: Pages,
  options: ServerOptions
): Layer.Layer<Listening, CannotListen, HandlersOfAll<Groups> | Access | AccessLog | Idempotency | Lifecycle> =>
  Layer.scoped(
    Listening,
    Effect.gen(function* () {
      const lifecycle = yield* Lifecycle
      const services = yield* Effect.context<HandlersOfAll<Groups>>()
      const handlersOf = (group: string): Option.Option<AnyHandlers> => Context.getOption(services, handlersTag(group))
      const serving: Serving = {
        runtime: yield* Effect.runtime(),
        access: yield* Access,
        idempotency: yield* Idempotency,
        log: yield* AccessLog,
        metrics: yield* Metrics,
        lifecycle,
        cors: corsOf(options.corsOrigins)
      }
      const { fallbacks, routes } = compile(api, options)
      const table: Record<
        string,
        Record<string, Bun.Serve.Handler<Bun.BunRequest, Bun.Server<undefined>, Response>>
      > = {}
      for (const route of routes) {
        const handler = Option.getOrUndefined(handlersOf(route.group))?.[route.name]
        if (handler === undefined) return yield* Effect.dieMessage(`${route.group}.${route.name} has no handler`)
        const methods = (table[route.path] ??= {})
        const access = route.openedBy === "admin-key" ? options.admin : serving.access
        if (access === undefined) return yield* Effect.dieMessage(`nobody can open ${route.group}.${route.name}`)
        methods[route.method] = serveRoute({ ...serving, access }, route, handler)
      }
      for (const [path, page] of Object.entries(pages)) table[path] = { GET: page }

      const listen = Effect.try({
        catch: (cause) => cannotListen(options, cause),
        try: () =>
          Bun.serve({
            hostname: options.hostname,
            port: options.port,
            // Unless told not to, Bun listens beside whoever has the port, and each gets some of the requests.
            reusePort: false,
            // Outside production Bun answers an uncaught error with a page that shows source.
            development: false,
            // The limits are each route's own (`body.ts`): Bun's 413 has an empty body.
            maxRequestBodySize: Number.MAX_SAFE_INTEGER,
            // For the phase in which a request is read; lifted once a handler waits.
            idleTimeout: 60,
            routes: table,
            fetch: fallback(serving, fallbacks),
            error: () => new Response(null, { status: 500 })
          })
      })

      /** Readiness fails at once; what runs has its time; then streams end in-band, waiting handlers are interrupted. */
      const drain = (server: Bun.Server<undefined>) => {
        const idle = Effect.sync(() => server.pendingRequests === 0).pipe(
          Effect.repeat({ until: (none) => none, schedule: Schedule.spaced("20 millis") }),
          Effect.interruptible
        )
        return Effect.sync(lifecycle.drain).pipe(
          Effect.zipRight(Effect.timeoutOption(idle, options.drainDeadline)),
          Effect.zipRight(Effect.sync(lifecycle.endPatience)),
          Effect.zipRight(Effect.timeoutOption(idle, "2 seconds")),
          Effect.ensuring(Effect.promise(() => server.stop(true)))
        )
      }

      const server = yield* Effect.acquireRelease(listen, drain)
      return { url: server.url }
    })
  )

const cannotListen = ({ hostname, port }: ServerOptions, cause: unknown): CannotListen => {
  const address = `${hostname}:${port}`
  switch (cause instanceof Error && "code" in cause ? cause.code : undefined) {
    case "EADDRINUSE":
      return new CannotListen({ message: `can't listen on ${address}: the port is in use` })
    case "EACCES":
      return new CannotListen({ message: `can't listen on ${address}: not permitted to` })
    default:
      return new CannotListen({ message: `can't listen on ${address}: this machine has no such address` })
  }
}
