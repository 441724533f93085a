import { isJsonObject } from "../../contract/fields.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { jsonResponse } from "../../pipeline/passthrough.ts"
import type { PassthroughState } from "../../pipeline/passthrough.ts"
import type { TextFamily } from "../../pipeline/TextFamily.ts"
import { countTexts } from "../../tokens/tokenizer.ts"
import { headOf } from "../chunks.ts"
import { join } from "../Joined.ts"
import { passthroughMachineOf } from "../passthrough.ts"
import { itemsOf, understand } from "./decode.ts"
import { completionOf, endFrames, machine } from "./encode.ts"
import type { State } from "./encode.ts"
import { promptsOf } from "./prompts.ts"
import type { CreateTextCompletion } from "./Request.ts"
import type { TextCompletion } from "./TextCompletion.ts"

type CompletionsFamily = TextFamily<CreateTextCompletion, never, State, PassthroughState, TextCompletion | Response>

/** Text completions for `Pipeline`: passed through, or asked by chat, each prompt as a user's message. */
export const completionsFamily: CompletionsFamily = {
  dialect: "completions",
  // A comment, which every client library skips.
  heartbeat: ": ping\n\n",
  understand: ({ payload, request }) => {
    const prompts = promptsOf(payload)
    if (prompts instanceof InvalidRequest) return prompts
    const stream = payload.stream ?? false
    const head = headOf(payload, "cmpl")
    const ofEach = payload.n ?? 1
    const count = prompts.length * Math.max(ofEach, payload.best_of ?? 1)
    return {
      ...understand(payload, request.body, prompts),
      stream,
      passthrough: () => ({
        body: isJsonObject(request.body) ? request.body : payload,
        bodyText: request.bodyText,
        headers: request.headers,
        rewrite: (answer) => ({ ...answer, model: payload.model })
      }),
      answers:
        count === 1
          ? undefined
          : {
              count,
              ...(prompts.length > 1 && {
                inputs: {
                  count: prompts.length,
                  tokens: () => countTexts(prompts.map(({ text }) => text + (payload.suffix ?? ""))).tokens,
                  at: (conversation, index) => ({
                    ...conversation,
                    items: itemsOf(prompts[Math.floor(index / ofEach)]?.text ?? "")
                  })
                }
              }),
              join: (generations) =>
                join<State>(generations, {
                  stream,
                  machine: (index) => machine(head, index, false),
                  end: (_, usage) => endFrames(head, usage),
                  whole: (states, usage) => JSON.stringify(completionOf(head, states, usage))
                })
            },
      translated: () => ({
        machine: machine(head, 0, true),
        answer: (state) => completionOf(head, [state], state.usage)
      }),
      passed: () => ({
        machine: passthroughMachineOf,
        answer: ({ terminal }) => jsonResponse(terminal, request)
      })
    }
  }
}
