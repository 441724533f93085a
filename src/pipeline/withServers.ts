import { Effect, Exit, Scope } from "effect"
import type { Context, Runtime } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseServer, mayUseTool } from "../contract/callers/toolRule.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { isConfined } from "../dispatch/searchDomains.ts"
import { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation, GenerationEnding } from "../generation/Generation.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { CallerServers } from "../mcp/CallerServers.ts"
import { approvedCalls } from "./approvedCalls.ts"
import type { RequestTools } from "../tools/RequestTools.ts"
import { withChosenTools } from "./chosenTools.ts"
import type { AskedServers } from "./TextFamily.ts"

interface Asking {
  /** Fails if the request would be refused whatever the servers list. */
  readonly admitted: Effect.Effect<unknown, Failure>
  readonly caller: Caller
  readonly conversation: Conversation
  readonly request: Incoming
  readonly asked: AskedServers
  /** True for a request that runs later, and may run twice. */
  readonly isLater: boolean
}

/**
 * Lists the servers that a request names, and generates with their tools among the conversation's. Their connections end
 * with the generation.
 */
export const withServers = (
  servers: Context.Tag.Service<typeof CallerServers>,
  runtime: Runtime.Runtime<never>,
  { admitted, asked, caller, conversation, isLater, request }: Asking,
  begin: (conversation: Conversation, served: RequestTools) => Future<Generation, Failure>
): Future<Generation, Failure> => {
  const offered = Effect.gen(function* () {
    const problem = (isLater ? refusedLater(asked) : asked.problem()) ?? refusalOf(caller, request, asked)
    if (problem !== undefined) return yield* problem
    yield* admitted
    const scope = yield* Scope.make()
    const taken = new Set(conversation.tools.map(({ name }) => name))
    const served = yield* servers
      .offer({
        servers: asked.list(),
        mayUse: (tool) => mayUseTool(caller, ownServers, tool),
        taken,
        mostCalls: asked.mostCalls,
        words: asked.words,
        requestId: request.id
      })
      .pipe(
        Scope.extend(scope),
        Effect.onError(() => Scope.close(scope, Exit.void))
      )
    const chosen = withChosenTools(conversation, served, asked.choice)
    if (chosen instanceof InvalidRequest) return yield* Effect.zipRight(Scope.close(scope, Exit.void), chosen)
    return { chosen, scope, served }
  })
  return runFuture(runtime, offered).flatMap(({ chosen, scope, served }) => {
    const close = () => void runFuture(runtime, Scope.close(scope, Exit.void))
    const opening = served.opening.filter(({ server }) => asked.isShown?.(server) !== true)
    const approved = approvedCalls(served, asked.approved?.() ?? [])
    return begin(chosen, { ...served, opening, approved, mostCalls: asked.mostCalls }).matchCause({
      onSuccess: (generation) => Future.succeed(new Connected(generation, close)),
      onFailure: (cause) => {
        close()
        return Future.failCause(cause)
      }
    })
  })
}

/** The reason that servers can't be called for a request that runs later. */
export const refusedLater = (asked: AskedServers): InvalidRequest =>
  asked.problem() ?? wrong(asked, "servers can't be named in a request that runs later, which may run twice")

/** The name of all servers of requests in rules of tools. */
const ownServers = "own"

const refusalOf = (caller: Caller, request: Incoming, asked: AskedServers): InvalidRequest | undefined => {
  if (isConfined(caller)) {
    return wrong(asked, "servers are not open to this account, which may reach certain domains alone")
  }
  if (!mayUseServer(caller, ownServers)) {
    return wrong(asked, "the key may use no servers of its own: its tools allow no own/*")
  }
  return request.headers.has("idempotency-key")
    ? wrong(asked, "servers can't be named in a request with an Idempotency-Key, which may run twice")
    : undefined
}

const wrong = ({ list }: AskedServers, rule: string): InvalidRequest => {
  const param = list()[0]?.param ?? "tools"
  return new InvalidRequest({ param, message: `${param}: ${rule}` })
}

/** Every generation is cancelled in the end. */
class Connected extends WrappedGeneration {
  readonly #close: () => void

  constructor(inner: Generation, close: () => void) {
    super(inner)
    this.#close = close
  }

  override cancel(how?: GenerationEnding): void {
    this.inner.cancel(how)
    this.#close()
  }
}
