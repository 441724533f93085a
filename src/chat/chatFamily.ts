import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
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
import { unsupportedParts } from "./unsupportedParts.ts"
import { usageOf } from "./usage.ts"

type ChatFamily = TextFamily<CreateCompletion, KeptSeals, State, PassthroughState, ChatCompletion | Response>

/** Chat completions for `Pipeline`. */
export const makeChatFamily = Effect.map(ReasoningSignatures, (signatures): ChatFamily => {
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
    understand: ({ caller, payload, request }, kept) => {
      const stream = payload.stream ?? false
      const head = headOf(payload, "chatcmpl")
      const isLegacy = (payload.functions ?? []).length > 0
      const count = payload.n ?? 1
      const keep = (message: AnswerMessage) => keepSignatures(caller, message, payload.messages.at(-1))
      return {
        ...understand(payload, request.body, kept),
        stream,
        isStored: payload.store === true,
        unsupported: () => unsupportedParts(payload, request.body),
        passthrough: passthroughOf(payload, request),
        answers:
          count === 1
            ? undefined
            : { count, join: (generations) => join(generations, joining({ head, isLegacy, stream }, keep)) },
        translated: () => ({
          machine: machine({ head, index: 0, isWhole: true, isLegacy }),
          answer: (state) => completionOf(head, [choiceOf(state, 0)], state.usage, state.serviceTier),
          keep: (state) => keep(messageOf(state))
        }),
        passed: () => ({
          machine: passthroughMachineOf,
          answer: ({ terminal }) => jsonResponse(terminal, request)
        })
      }
    }
  }
})

/** How several answers are one. */
export const joining = (
  { head, isLegacy, stream }: { readonly head: Head; readonly isLegacy: boolean; readonly stream: boolean },
  keep: (message: AnswerMessage) => Promise<void> | undefined
): Joining<State> => ({
  stream,
  machine: (index) => machine({ head, index, isWhole: false, isLegacy }),
  keep: (state) => keep(messageOf(state)),
  end: (usage) => endFrames(head, usageOf(usage)),
  whole: (states, usage) => JSON.stringify(completionOf(head, states.map(choiceOf), usage))
})
