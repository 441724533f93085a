import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Holder } from "../contract/callers/Caller.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { PassthroughState } from "../pipeline/passthrough.ts"
import type { TextFamily } from "../pipeline/TextFamily.ts"
import { endFrames, headOf } from "./chunks.ts"
import type { Head } from "./chunks.ts"
import type { AnswerMessage, ChatCompletion } from "./Completion.ts"
import { understand } from "./decode.ts"
import { choiceOf, completionOf, machine, messageOf } from "./encode.ts"
import type { State } from "./encode.ts"
import type { InputMessage } from "./InputMessage.ts"
import { join } from "./Joined.ts"
import type { Joining } from "./Joined.ts"
import { passthroughMachineOf, passthroughOf } from "./passthrough.ts"
import { sealName, unsealedCalls } from "./reasoning.ts"
import type { KeptSeals } from "./reasoning.ts"
import type { CreateCompletion } from "./Request.ts"
import { keptCompletion } from "./stored/keptCompletion.ts"
import type { KeptCompletion } from "./stored/keptCompletion.ts"
import { StoredCompletions } from "./store/StoredCompletions.ts"
import { unsupportedParts } from "./unsupportedParts.ts"
import { usageOf } from "./usage.ts"

type ChatFamily = TextFamily<CreateCompletion, KeptSeals, State, PassthroughState, ChatCompletion | Response>

/** Chat completions for `Pipeline`. */
export const makeChatFamily = Effect.map(Effect.all([ReasoningSignatures, StoredCompletions]), (stores): ChatFamily => {
  const [signatures, completions] = stores
  /**
   * Stores the signed reasoning behind an answer's calls. A failed write is ignored, because many clients return the
   * reasoning themselves.
   */
  const keepSignatures = (holder: Holder, answer: AnswerMessage, question: InputMessage | undefined) => {
    const name = sealName(answer, question)
    if (name === undefined || answer.reasoning_details === undefined) return undefined
    return signatures.save(holder, name, answer.reasoning_details).catch(() => {})
  }

  return {
    dialect: "chat",
    // A comment, which every client library skips.
    heartbeat: ": ping\n\n",
    // Loads the reasoning that the client did not return, if a model may need it.
    lookUp: ({ caller, payload }, routes) => {
      const calls = unsealedCalls(payload.messages)
      return calls.length === 0 || !routes.translates(payload.model, "chat")
        ? undefined
        : signatures.find(caller, calls)
    },
    understand: ({ caller, payload, request }, signed) => {
      const stream = payload.stream ?? false
      const head = headOf(payload, "chatcmpl")
      const isLegacy = (payload.functions ?? []).length > 0
      const count = payload.n ?? 1
      const kept = keptCompletion(completions, caller, payload, request, head)
      if (kept instanceof InvalidRequest) return kept
      const keep = (message: AnswerMessage) => keepSignatures(caller, message, payload.messages.at(-1))
      const answerOf = (state: State) => completionOf(head, [choiceOf(state, 0)], state.usage, state.serviceTier)
      return {
        ...understand(payload, request.body, signed),
        stream,
        isStored: kept !== undefined,
        unsupported: (runsServers) => unsupportedParts(payload, request.body, runsServers),
        passthrough: passthroughOf(payload, request, { id: head.id, kept }),
        answers:
          count === 1
            ? undefined
            : { count, join: (generations) => join(generations, joining({ head, isLegacy, stream, kept }, keep)) },
        translated: () => ({
          machine: machine({ head, index: 0, isWhole: true, isLegacy }),
          answer: answerOf,
          keep: (state) => {
            const signing = keep(messageOf(state))
            if (kept === undefined) return signing
            kept.take(answerOf(state))
            return Promise.all([signing, kept.save()]).then(() => {})
          }
        }),
        passed: () => ({
          machine: passthroughMachineOf,
          answer: ({ terminal }) => jsonResponse(terminal, request),
          ...(kept && { keep: kept.save })
        })
      }
    }
  }
})

/** How several answers are one. */
export const joining = (
  { head, isLegacy, kept, stream }: JoiningOptions,
  keep: (message: AnswerMessage) => Promise<void> | undefined
): Joining<State> => {
  const whole = (states: ReadonlyArray<State>, usage: Usage) => {
    const completion = completionOf(head, states.map(choiceOf), usage)
    kept?.take(completion)
    return completion
  }
  return {
    stream,
    machine: (index) => machine({ head, index, isWhole: false, isLegacy }),
    keep: (state) => keep(messageOf(state)),
    end: (states, usage) => {
      if (kept !== undefined) whole(states, usage)
      return endFrames(head, usageOf(usage))
    },
    whole: (states, usage) => JSON.stringify(whole(states, usage))
  }
}

interface JoiningOptions {
  readonly head: Head
  readonly isLegacy: boolean
  readonly stream: boolean
  /** Takes the whole answer; absent if it is not stored. */
  readonly kept?: Pick<KeptCompletion, "take"> | undefined
}
