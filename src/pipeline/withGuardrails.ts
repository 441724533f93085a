import { Effect } from "effect"
import type { Runtime } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { families } from "../contract/kinds.ts"
import type { Dispatch } from "../dispatch/Dispatch.ts"
import type { GenerationOptions } from "../dispatch/GenerationOptions.ts"
import type { Future } from "../flow/Future.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Guard, GuardedRequest } from "../guardrails/Guards.ts"
import type { Dialect, TextRequest } from "./TextFamily.ts"

interface Guarding<S, P, A> {
  readonly caller: Caller
  readonly request: Incoming
  readonly text: TextRequest<S, P, A>
  readonly stream: boolean
  readonly dialect: Dialect
  readonly guards: ReadonlyArray<Guard>
  readonly tell: GuardedRequest["tell"]
  readonly dispatch: Pick<Dispatch, "affords" | "quote">
  /** Present if the money was held before. */
  readonly prepaid?: GenerationOptions["prepaid"]
  readonly runtime: Runtime.Runtime<never>
}

/**
 * Generates under guardrails: they look at the texts of the request, and at those of its answer. So a request of a text
 * family is translated, whatever its upstream speaks. Requests of other kinds pass through, and their texts can't be replaced.
 */
export const withGuardrails = <S, P, A>(
  { caller, dialect, dispatch, guards, prepaid, request, runtime, stream, tell, text }: Guarding<S, P, A>,
  begin: (text: TextRequest<S, P, A>) => Future<Generation, Failure>
): Future<Generation, Failure> => {
  const { conversation, mayReachWeb, objection, unread } = text
  const { kind } = families[dialect]
  const isReplaceable = kind === "text"
  const family = isReplaceable ? undefined : dialect
  const looked = Effect.gen(function* () {
    // A request that is refused anyway is none of their business.
    const admission = { family, kind, mayReachWeb, objection, headers: request.headers }
    yield* dispatch.quote(caller, conversation, admission)
    if (prepaid === undefined)
      yield* dispatch.affords(caller, conversation, request, admission, { stream, kind, several: text.answers })
    const [{ guardRequest }, { Words }] = yield* Effect.promise(() =>
      Promise.all([import("../guardrails/guardRequest.ts"), import("../guardrails/Words.ts")])
    )
    const { id: requestId, record } = request
    const asking = { guards, record, requestId, caller, family: dialect, model: conversation.model }
    const asked = { ...asking, isReplaceable, words: new Words(), tell }
    const hasServers = text.servers !== undefined
    return yield* guardRequest(runtime, asked, inputsOf(text), { hasServers, stream, unread })
  })
  return runFuture(runtime, looked).flatMap(({ conversations, lookAtCall, wrap }) => {
    if (!isReplaceable) return begin(text)
    const { answers, passthrough: _, ...rest } = text
    const translated = { ...rest, conversation: conversations.reduce(longer), lookAtCall }
    if (answers === undefined) return begin(translated).map(wrap)
    const { inputs } = answers
    const several = {
      ...answers,
      ...(inputs !== undefined && {
        inputs: {
          ...inputs,
          at: (whole: Conversation, answer: number) => {
            const { items } = conversations[Math.floor((answer * inputs.count) / answers.count)] ?? conversation
            return { ...whole, items }
          }
        }
      }),
      join: (all: ReadonlyArray<Generation>) => answers.join(all.map(wrap))
    }
    return begin({ ...translated, answers: several })
  })
}

/** The conversation of each input, of which most requests have one. */
const inputsOf = <S, P, A>({ answers, conversation }: TextRequest<S, P, A>): ReadonlyArray<Conversation> => {
  if (answers?.inputs === undefined) return [conversation]
  const { at, count } = answers.inputs
  return Array.from({ length: count }, (_, index) => at(conversation, (index * answers.count) / count))
}

const longer = (one: Conversation, other: Conversation) => (lengthOf(other) > lengthOf(one) ? other : one)

const lengthOf = ({ items }: Conversation): number => JSON.stringify(items).length
