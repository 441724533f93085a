import { Effect } from "effect"
import type { Incoming } from "../contract/handlers.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import type { PassthroughState } from "../pipeline/passthrough.ts"
import type { Encoding, TextFamily } from "../pipeline/TextFamily.ts"
import { isHidden, understand } from "./decode.ts"
import type { State } from "./draft.ts"
import { machine } from "./encode.ts"
import { heartbeat } from "./frames.ts"
import type { Message } from "./Message.ts"
import { passthroughMachineOf, passthroughOf } from "./passthrough.ts"
import type { CreateMessage } from "./Request.ts"
import { recordAnswer } from "./threads/recordAnswer.ts"
import { isThreaded, Threads } from "./threads/Threads.ts"
import type { ThreadTurn } from "./threads/Threads.ts"

type MessageFamily = TextFamily<CreateMessage, ThreadTurn, State, PassthroughState, Message | Response>

/** Messages for `Pipeline`. A request of a thread continues the whole stored conversation, and its answer is stored. */
export const makeMessageFamily = Effect.map(Threads, (threads): MessageFamily => ({
  dialect: "messages",
  heartbeat,
  lookUp: ({ caller, payload, request }, _, mode) =>
    isThreaded(payload) ? threads[mode](caller, payload, request) : undefined,
  understand: (input, turn) => {
    const { payload, request } = turn ?? input
    const id = `msg_${randomHex()}`
    return {
      ...understand(payload, request.body, "create", request.headers),
      request,
      stream: payload.stream === true,
      isStored: turn !== undefined,
      isLarge: hasMany(payload.messages),
      passthrough: passthroughOf(payload, request, id, turn),
      translated: () => ({
        machine: machine({
          id,
          model: payload.model,
          requestId: request.id,
          hideThinking: isHidden(payload.thinking)
        }),
        answer: ({ message }) => message,
        ...(turn !== undefined && { keep: ({ message }) => turn.keep(message, false) })
      }),
      passed: () => passedThrough(request, turn)
    }
  },
  release: (_, turn) => turn?.release()
}))

/** A passthrough answer. One of a thread is recorded on the way. */
const passedThrough = (request: Incoming, turn: ThreadTurn | undefined): Encoding<PassthroughState, Response> => {
  const answer = ({ terminal }: PassthroughState) => jsonResponse(terminal, request)
  if (turn === undefined) return { machine: passthroughMachineOf(request), answer }
  const { machine, reply } = recordAnswer(passthroughMachineOf(request))
  return { machine, answer, keep: () => turn.keep(reply(), true) }
}

/** A request with this many messages and blocks is processed in several turns of the event loop. */
const many = 5_000

const hasMany = (messages: CreateMessage["messages"]): boolean => {
  if (typeof messages === "string") return false
  let count = 0
  for (const { content } of messages) count += typeof content === "string" ? 1 : content.length
  return count >= many
}
