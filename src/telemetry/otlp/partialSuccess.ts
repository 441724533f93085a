import { objectAt, parseJson, textAt } from "../../contract/json/json.ts"

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

/** Wire types. The library that encodes does not decode. */
const [varint, bits64, lengths, bits32] = [0, 1, 2, 5] as const

/**
 * The last value of each field of a message, by number: numbers, and bytes of texts and messages. Empty for bytes that are
 * no message.
 */
const decodeProtobuf = (bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> => {
  const fields = new Map<number, number | Uint8Array>()
  let at = 0
  const number = (): number => {
    let value = 0
    for (let place = 1; at < bytes.length; place *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * place
      if (byte < 128) return value
    }
    return Number.NaN
  }
  while (at < bytes.length) {
    const tag = number()
    const wire = tag % 8
    const length = wire === lengths ? number() : wire === bits64 ? 8 : wire === bits32 ? 4 : 0
    const value = wire === varint ? number() : bytes.subarray(at, at + length)
    const isKnown = wire === varint || wire === bits64 || wire === lengths || wire === bits32
    if (!isKnown || Number.isNaN(tag + length) || at + length > bytes.length) return new Map()
    at += length
    fields.set(Math.floor(tag / 8), value)
  }
  return fields
}
