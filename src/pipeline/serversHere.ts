import { Effect } from "effect"
import type { Context } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Dispatch } from "../dispatch/Dispatch.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Guardrails } from "../guardrails/Guardrails.ts"
import type { CallerServers } from "../mcp/CallerServers.ts"
import type { Dialect, TextRequest } from "./TextFamily.ts"
import { admitServers, callsServers, offerServers } from "./withServers.ts"
import type { Naming } from "./withServers.ts"

/** A conversation, and if it has calls that the gateway made. */
type Histories = Pick<TextRequest<never, never, never>, "conversation" | "hasOwnCalls">

/** Decides who calls the servers of a request, and lists those that are called here. */
export const serversHere = (
  servers: Context.Tag.Service<typeof CallerServers>,
  { passes }: Pick<Dispatch, "passes">,
  guardrails: Context.Tag.Service<typeof Guardrails>
) => {
  /** True if guardrails look at the requests of a caller to a model. */
  const isGuarded = (caller: Naming["caller"], model: string) => guardrails.of(caller, model) !== undefined

  /** True if the gateway calls the servers of a request, not an upstream that it passes through to. */
  const callsHere = (dialect: Dialect, naming: Naming, { conversation, hasOwnCalls }: Histories) =>
    callsServers(
      servers,
      naming,
      hasOwnCalls !== true && !isGuarded(naming.caller, conversation.model) && passes(conversation.model, dialect, true)
    )

  /** True if a task calls the servers of its request itself. Fails if it may not. */
  const runsServers = (dialect: Dialect, naming: Naming, text: Histories): Effect.Effect<boolean, Failure> =>
    Effect.tap(callsHere(dialect, naming, text), (isHere) => (isHere ? admitServers(servers, naming) : Effect.void))

  /** The conversation of a request, with the tools of its servers if the gateway calls them; undefined if it does not. */
  const listed = (
    dialect: Dialect,
    naming: Naming,
    text: Histories
  ): Effect.Effect<Conversation | undefined, Failure> =>
    Effect.flatMap(callsHere(dialect, naming, text), (isHere) =>
      isHere
        ? Effect.map(Effect.scoped(offerServers(servers, { ...naming, ...text })), (offer) => offer.conversation)
        : Effect.succeed(undefined)
    )

  return { callsHere, isGuarded, listed, runsServers } as const
}
