import { ParseResult } from "effect"
import { describe } from "../../src/contract/describe.ts"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { CreateResponse } from "../../src/responses/CreateResponse.ts"
import { inputItems, understand } from "../../src/responses/decode.ts"
import type { InputItem } from "../../src/responses/InputItem.ts"
import { toolEntries } from "../../src/responses/toolEntries.ts"
import type { Toolbox } from "../../src/responses/tools.ts"

const parse = ParseResult.decodeUnknownEither(CreateResponse, { errors: "first" })

const run = (fields: object, history: ReadonlyArray<InputItem> = []) => {
  const request = parse({ model: "m", input: "hi", ...fields })
  if (request._tag === "Left") return describe(request.left)
  const understood = understand(request.right, fields, { history, input: inputItems(request.right.input) })
  return understood instanceof InvalidRequest ? understood : (understood.objection() ?? understood)
}

const accepted = (fields: object, history?: ReadonlyArray<InputItem>) => {
  const result = run(fields, history)
  if ("message" in result) throw new Error(`refused: ${result.message}`)
  return result
}

/** The conversation that a request with these fields becomes. */
export const conversation = (fields: object, history?: ReadonlyArray<InputItem>): Conversation =>
  accepted(fields, history).conversation

export const toolbox = (fields: object): Toolbox => accepted(fields).toolbox()

/** The tools that its response tells back. */
export const entries = (fields: object) => {
  const request = parse({ model: "m", input: "hi", ...fields })
  return request._tag === "Left" ? describe(request.left) : toolEntries(request.right)
}

/** Why a request with these fields is refused. */
export const refusal = (fields: object, history?: ReadonlyArray<InputItem>) => {
  const result = run(fields, history)
  if (!("message" in result)) throw new Error("accepted")
  return { param: result.param, message: result.message }
}
