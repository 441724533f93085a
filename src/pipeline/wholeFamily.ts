import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { WholeFamily } from "../contract/kinds.ts"
import type { Conversation, Part } from "../generation/Conversation.ts"
import { jsonResponse, passthroughMachine } from "./passthrough.ts"
import type { PassthroughState } from "./passthrough.ts"
import type { Encoding, TextFamily } from "./TextFamily.ts"

/** A request whose answer comes whole, as admission and prices need it. */
interface WholeRequest extends Partial<Pick<Conversation, "demands" | "endUser">> {
  readonly model: string
  readonly inputs: ReadonlyArray<Part>
}

interface WholeEndpoint<Payload> {
  readonly dialect: WholeFamily
  /** Says that none of the model's upstreams has the endpoint. */
  readonly noUpstream: string
  /** Fails with the first mistake in the request. */
  readonly decode: (payload: Payload) => WholeRequest | InvalidRequest
  /** Changes an answer to what the body asked for. */
  readonly shape?: (answer: JsonObject, body: JsonObject) => JsonObject
}

/** A family that passes through, one JSON body for one JSON answer, and is never translated. */
export const wholeFamily = <Payload>({
  decode,
  dialect,
  noUpstream,
  shape = (answer) => answer
}: WholeEndpoint<Payload>): TextFamily<Payload, never, PassthroughState, PassthroughState, Response> => {
  const objection = () => new InvalidRequest({ param: "model", message: noUpstream })
  return {
    dialect,
    heartbeat: "",
    understand: ({ payload, request }) => {
      const asked = decode(payload)
      if (asked instanceof InvalidRequest) return asked
      const passed = (): Encoding<PassthroughState, Response> => ({
        machine,
        answer: ({ terminal }) => jsonResponse(terminal, request)
      })
      const body = isObject(request.body) ? request.body : {}
      return {
        conversation: conversationOf(asked),
        stream: false,
        objection,
        passthrough: () => ({
          body,
          bodyText: request.bodyText,
          headers: request.headers,
          rewrite: (answer) => ({ ...shape(answer, body), model: asked.model })
        }),
        // Never used: `objection` refuses every other route.
        translated: passed,
        passed
      }
    }
  }
}

const machine = passthroughMachine(() => [])

/** The inputs as a conversation without an answer. */
const conversationOf = ({ demands, endUser, inputs, model }: WholeRequest): Conversation => ({
  model,
  system: [],
  items: [{ type: "message", role: "user", content: inputs }],
  tools: [],
  toolChoice: { type: "auto" },
  parallelToolCalls: true,
  reasoning: { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined },
  sampling: { temperature: undefined, topP: undefined, topK: undefined },
  maxOutputTokens: 0,
  stopSequences: [],
  format: { type: "text" },
  truncation: "disabled",
  endUser,
  cacheKey: undefined,
  ...(demands !== undefined && { demands })
})
