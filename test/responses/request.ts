import { ParseResult } from "effect"
import { describe } from "../../src/contract/describe.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { decode, inputItems } from "../../src/responses/decode.ts"
import type { InputItem } from "../../src/responses/InputItem.ts"
import type { Toolbox } from "../../src/responses/tools.ts"

const parse = ParseResult.decodeUnknownEither(CreateResponse, { errors: "first" })

const run = (fields: object, history: ReadonlyArray<InputItem> = []) => {
  const request = parse({ model: "m", input: "hi", ...fields })
  if (request._tag === "Left") return describe(request.left)
  return decode(request.right, { history, input: inputItems(request.right.input) })
}

const accepted = (fields: object, history?: ReadonlyArray<InputItem>) => {
  const result = run(fields, history)
  if ("message" in result) throw new Error(`refused: ${result.message}`)
  return result
}

/** The conversation that a request with these fields becomes. */
export const conversation = (fields: object, history?: ReadonlyArray<InputItem>): Conversation =>
  accepted(fields, history).conversation

export const toolbox = (fields: object): Toolbox => accepted(fields).toolbox

/** Why a request with these fields is refused. */
export const refusal = (fields: object, history?: ReadonlyArray<InputItem>) => {
  const result = run(fields, history)
  if (!("message" in result)) throw new Error("accepted")
  return { param: result.param, message: result.message }
}
