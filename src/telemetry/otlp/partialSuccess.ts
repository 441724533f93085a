import { objectAt, parseJson, textAt } from "../../contract/json/json.ts"
import { decodeProtobuf } from "./protobuf.ts"

/** The refused part of an accepted export. */
export interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

const none: PartialSuccess = { rejected: 0, message: "" }

/** Reads an `Export…ServiceResponse` in either encoding; answers of another form say nothing. */
export const partialSuccess = (answer: Uint8Array): PartialSuccess => {
  if (answer[0] === openBrace) {
    const told = objectAt(parseJson(Buffer.from(answer).toString()), "partialSuccess")
    const rejected = told?.["rejectedLogRecords"] ?? told?.["rejectedSpans"]
    return { rejected: countOf(rejected), message: textAt(told, "errorMessage") ?? "" }
  }
  const told = decodeProtobuf(answer).get(1)
  if (!(told instanceof Uint8Array)) return none
  const fields = decodeProtobuf(told)
  const message = fields.get(2)
  return {
    rejected: countOf(fields.get(1)),
    message: message instanceof Uint8Array ? Buffer.from(message).toString() : ""
  }
}

const openBrace = 0x7b

/** 64-bit integers are texts in JSON. */
const countOf = (value: unknown): number => {
  const count = typeof value === "string" ? Number(value) : value
  return typeof count === "number" && count > 0 ? count : 0
}
