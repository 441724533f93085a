import { Effect, Exit, Scope } from "effect"
import type { Context, Runtime } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { mayUseServer } from "../contract/callers/toolRule.ts"
import type { JournalOwner } from "../contract/JournalOwner.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { isConfined } from "../dispatch/searchDomains.ts"
import { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation, GenerationEnding } from "../generation/Generation.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { ownServers } from "../mcp/CallerServers.ts"
import type { CallerServers, ServedTools } from "../mcp/CallerServers.ts"
import type { LookAtCall } from "../guardrails/guardRequest.ts"
import { approvedCalls } from "./approvedCalls.ts"
import { guardedBy } from "./guardedTool.ts"
import { earlierRounds, goingOn } from "../tools/journal/earlierRounds.ts"
import { ToolJournals } from "../tools/journal/ToolJournals.ts"
import type { RequestTools } from "../tools/RequestTools.ts"
import type { ServerTool } from "../tools/ServerTool.ts"
import { withChosenTools } from "./chosenTools.ts"
import type { AskedServers } from "./TextFamily.ts"

type Servers = Context.Tag.Service<typeof CallerServers>

/** A request that names servers. */
export interface Naming {
  readonly asked: AskedServers
  readonly caller: Caller
  readonly request: Incoming
}

/**
 * True if the gateway calls the servers of a request itself.
 *
 * @param passes true if an upstream of the model calls the servers of requests that pass through
 */
export const callsServers = (
  servers: Servers,
  { asked, caller, request }: Naming,
  passes: boolean
): Effect.Effect<boolean> =>
  passes && !isConfined(caller) ? servers.areRegistered(asked.list(), request.headers) : Effect.succeed(true)

interface Asking extends Naming {
  /** Fails if the request would be refused whatever the servers list. */
  readonly admitted: Effect.Effect<unknown, Failure>
  readonly conversation: Conversation
  /** The owner of the journal of calls, for a request that may run again. */
  readonly owner: JournalOwner | undefined
  readonly lookAtCall: LookAtCall | undefined
}

/** Lists the servers that a request names, and puts their tools into the conversation. Connections end with the scope. */
export const offerServers = (
  servers: Servers,
  { asked, caller, conversation, request }: Naming & Pick<Asking, "conversation">
): Effect.Effect<{ readonly conversation: Conversation; readonly served: ServedTools }, Failure, Scope.Scope> =>
  Effect.gen(function* () {
    const problem = asked.problem()
    if (problem !== undefined) return yield* problem
    const served = yield* servers.offer(serversOf({ asked, caller, request }, conversation))
    const mistake = asked.mistake?.(served.listed)
    if (mistake !== undefined) return yield* mistake
    const chosen = withChosenTools(conversation, served, asked.choice)
    return chosen instanceof InvalidRequest ? yield* chosen : { conversation: chosen, served }
  })

const serversOf = ({ asked, caller, request }: Naming, conversation?: Conversation) => ({
  servers: asked.list(),
  caller,
  request,
  ownRule: ownRule(caller),
  called: new Set(conversation?.items.flatMap((item) => (item.type === "tool-call" ? [item.name] : []))),
  taken: new Set(conversation?.tools.map(({ name }) => name)),
  mostCalls: asked.mostCalls,
  words: asked.words
})

/** Fails if a request that runs later may not name its servers. None is asked yet. */
export const admitServers = (servers: Servers, naming: Naming): Effect.Effect<unknown, Failure> =>
  naming.asked.problem() ?? servers.admit(serversOf(naming))

/** Generates with the tools of the servers that a request names. Their connections end with the generation. */
export const withServers = (
  servers: Servers,
  runtime: Runtime.Runtime<never>,
  asking: Asking,
  begin: (conversation: Conversation, served: RequestTools) => Future<Generation, Failure>
): Future<Generation, Failure> => {
  const { admitted, asked, lookAtCall, owner } = asking
  const offered = Effect.gen(function* () {
    const problem = asked.problem()
    if (problem !== undefined) return yield* problem
    yield* admitted
    const scope = yield* Scope.make()
    const offering = Effect.map(offerServers(servers, asking), ({ conversation, served }) => ({
      conversation,
      served: lookAtCall === undefined ? served : { ...served, tools: served.tools.map(guardedBy(lookAtCall)) }
    }))
    const offer = yield* Effect.flatMap(offering, ({ conversation, served }) =>
      Effect.map(owner === undefined ? Effect.succeed({}) : journaled(owner, served.tools), (kept: Journaled) => ({
        conversation: kept.earlier === undefined ? conversation : goingOn(conversation, kept.earlier, served.tools),
        served,
        kept
      }))
    ).pipe(
      Effect.tap(({ served }) => served.deny(asked.denied?.() ?? [])),
      Scope.extend(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    return { scope, ...offer }
  })
  return runFuture(runtime, offered).flatMap(({ conversation, kept, scope, served }) => {
    const close = () => void runFuture(runtime, Scope.close(scope, Exit.void))
    const opening = served.opening.filter(({ server }) => asked.isShown?.(server) !== true)
    const approved = kept.earlier === undefined ? approvedCalls(served, asked.approved?.() ?? []) : undefined
    return begin(conversation, { ...served, ...kept, opening, approved, mostCalls: asked.mostCalls }).matchCause({
      onSuccess: (generation) => Future.succeed(new Connected(generation, close)),
      onFailure: (cause) => {
        close()
        return Future.failCause(cause)
      }
    })
  })
}

/** The reason that a route is left out where another one of the model calls the servers of requests. */
export const notCalled = new InvalidRequest({
  param: "tools",
  message: "tools: this route of the model's does not call the servers of a request"
})

type Journaled = Pick<RequestTools, "journal" | "earlier">

const journaled = (owner: JournalOwner, tools: ReadonlyArray<ServerTool>): Effect.Effect<Journaled, Failure> =>
  Effect.gen(function* () {
    const journal = yield* (yield* ToolJournals).open(owner)
    return { journal, earlier: yield* earlierRounds(journal, tools) }
  })

/** The reason that a line of a batch can't name servers: it may run twice, and keeps no journal. */
export const refusedInLine = (asked: AskedServers): InvalidRequest =>
  asked.problem() ?? wrong(asked, "servers can't be named in a line of a batch, which may run twice")

/** The rule by which a caller may name no servers by their addresses; undefined if it may. */
const ownRule = (caller: Caller): string | undefined => {
  if (isConfined(caller)) return "servers are not open to this account, which may reach certain domains alone"
  return mayUseServer(caller, ownServers)
    ? undefined
    : "the key may use no servers of its own: its tools allow no own/*"
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
