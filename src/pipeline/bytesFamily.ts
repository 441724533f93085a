import { Struct } from "effect"
import type { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { BytesFamily } from "../contract/kinds.ts"
import type { PieceCounts } from "../contract/records/measures.ts"
import { failedEvent } from "./failedEvent.ts"
import { conversationOf } from "../generation/inputsAlone.ts"
import type { InputsAlone } from "../generation/inputsAlone.ts"
import { passthroughMachine, wholeResponse } from "./passthrough.ts"
import type { PassthroughState } from "./passthrough.ts"
import type { Encoding, TextFamily, TextInput } from "./TextFamily.ts"

/** A request whose answer may be of any media type. */
interface BytesRequest extends InputsAlone {
  /** True if the answer is sent as it comes. */
  readonly stream: boolean
  readonly counts: PieceCounts
}

interface BytesEndpoint<Payload, Stored> {
  readonly dialect: BytesFamily
  /** Says that none of the model's upstreams has the endpoint. */
  readonly noUpstream: string
  /** Reads what `decode` needs beside the payload. */
  readonly lookUp?: (input: TextInput<Payload>) => Effect.Effect<Stored, Failure> | undefined
  /** Fails with the first mistake in the request. */
  readonly decode: (payload: Payload, stored: Stored | undefined) => BytesRequest | InvalidRequest
}

/** A family whose requests and answers pass through as they are, and are never translated. */
export const bytesFamily = <Payload, Stored = never>({
  decode,
  dialect,
  lookUp,
  noUpstream
}: BytesEndpoint<Payload, Stored>): TextFamily<Payload, Stored, PassthroughState, PassthroughState, Response> => {
  const objection = () => new InvalidRequest({ param: "model", message: noUpstream })
  return {
    dialect,
    heartbeat: ": ping\n\n",
    waits: true,
    ...(lookUp !== undefined && { lookUp }),
    understand: ({ payload, request }, stored) => {
      const asked = decode(payload, stored)
      if (asked instanceof InvalidRequest) return asked
      const { counts, stream } = asked
      const body = isObject(request.body) ? request.body : {}
      // Translations have no streams.
      const isWhole = !stream && body["stream"] === "true"
      const passed = (): Encoding<PassthroughState, Response> => ({
        machine,
        answer: ({ terminal }) => wholeResponse(terminal, request)
      })
      return {
        conversation: conversationOf(asked),
        stream,
        objection,
        passthrough: () => ({
          body: isWhole ? Struct.omit(body, "stream") : body,
          bodyText: request.bodyText,
          ...(isWhole && { adapted: ["stream"] }),
          headers: request.headers,
          rewrite: (answer) => answer,
          counts
        }),
        // Never used: `objection` refuses every other route.
        translated: passed,
        passed
      }
    }
  }
}

const machine = passthroughMachine(failedEvent)
