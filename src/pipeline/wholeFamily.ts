import { Struct } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { parseJson } from "../contract/json/json.ts"
import type { WholeFamily } from "../contract/kinds.ts"
import type { Frame, Machine, PassthroughFrame } from "../generation/Machine.ts"
import { failedEvent } from "./failedEvent.ts"
import { conversationOf } from "../generation/inputsAlone.ts"
import type { InputsAlone } from "../generation/inputsAlone.ts"
import { jsonResponse, passthroughMachine } from "./passthrough.ts"
import type { PassthroughState } from "./passthrough.ts"
import type { Encoding, TextFamily } from "./TextFamily.ts"

interface WholeEndpoint<Payload> {
  readonly dialect: WholeFamily
  /** Says that none of the model's upstreams has the endpoint. */
  readonly noUpstream: string
  /** Fails with the first mistake in the request. */
  readonly decode: (payload: Payload) => InputsAlone | InvalidRequest
  /** The body with the values that a form has as texts. */
  readonly typed?: (body: JsonObject) => JsonObject
  /** Changes an answer to what the body asked for. */
  readonly shape?: (answer: JsonObject, body: JsonObject) => JsonObject
  /** The family's streams; absent if it has none. */
  readonly streaming?: WholeStreaming
}

/** Streams of whole answers: an upstream is never asked for one. */
interface WholeStreaming {
  /** Fields of a stream alone. `stream` is left out in silence, the others are named. */
  readonly fields: ReadonlyArray<string>
  /** The stream of an answer, as server-sent events. */
  readonly write: (answer: JsonObject) => string
}

/** A family that passes through, one JSON body for one JSON answer, and is never translated. */
export const wholeFamily = <Payload>({
  decode,
  dialect,
  noUpstream,
  shape = (answer) => answer,
  streaming,
  typed = (body) => body
}: WholeEndpoint<Payload>): TextFamily<Payload, never, PassthroughState, PassthroughState, Response> => {
  const objection = () => new InvalidRequest({ param: "model", message: noUpstream })
  return {
    dialect,
    heartbeat: ": ping\n\n",
    understand: ({ payload, request }) => {
      const asked = decode(payload)
      if (asked instanceof InvalidRequest) return asked
      const body = typed(isObject(request.body) ? request.body : {})
      const stream = streaming !== undefined && body["stream"] === true
      const passed = (): Encoding<PassthroughState, Response> => ({
        machine: stream ? streamMachine(streaming.write) : machine,
        answer: ({ terminal }) => jsonResponse(terminal, request)
      })
      const left = streaming === undefined ? [] : ["stream", ...streaming.fields].filter((name) => name in body)
      return {
        conversation: conversationOf(asked),
        unread: asked.unread,
        stream,
        asksWhole: true,
        objection,
        passthrough: () => ({
          body: left.length === 0 ? body : Struct.omit(body, ...left),
          bodyText: request.bodyText,
          headers: request.headers,
          adapted: left.filter((name) => name !== "stream"),
          rewrite: (answer) => ({ ...shape(answer, body), model: asked.model })
        }),
        // Never used: `objection` refuses every other route.
        translated: passed,
        passed
      }
    }
  }
}

const machine = passthroughMachine<Frame>(() => [])

/** Writes a whole answer as a stream. */
const streamMachine = (write: WholeStreaming["write"]): Machine<PassthroughState, Frame | PassthroughFrame> => {
  const { initial, step } = passthroughMachine(failedEvent)
  return {
    initial,
    step: (state, event) => {
      if (event.type !== "passthrough" || !event.terminal) return step(state, event)
      const answer = parseJson(event.text)
      return step(state, { ...event, text: isObject(answer) ? write(answer) : event.text })
    }
  }
}
