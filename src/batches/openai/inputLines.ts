import { Either, Schema } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { toInvalidRequest } from "../../contract/failures/invalidRequests.ts"
import { JsonObject, required } from "../../contract/fields.ts"
import { jsonDecoder } from "../../contract/jsonDecoder.ts"
import { parseLine } from "../parseLine.ts"
import type { GivenLine } from "../storeLines.ts"
import type { BatchError } from "./Api.ts"

/** OpenAI's bounds of a file. */
export const mostInput = { lines: 50_000, bytes: 200 * 1024 * 1024 } as const
/** The bytes of a line. */
const lineBytes = 32 * 1024 * 1024
/** The mistakes that are told. */
export const mostErrors = 20

const Line = Schema.Struct({
  custom_id: required(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(512)).annotations({
      description: "1 to 512 characters"
    }),
    "The request's name."
  ),
  method: required(Schema.Literal("POST"), "The method."),
  url: required(Schema.String, "The batch's endpoint."),
  body: required(JsonObject, "The request's body.")
})
const decodeLine = toInvalidRequest(jsonDecoder(Line))

/** Splits bytes into lines. */
export class LineReader {
  #pieces: Array<Buffer> = []
  #bytes = 0

  /** The texts of the lines that end in a chunk, or `long` if one is too long. */
  push(chunk: Uint8Array): ReadonlyArray<string> | "long" {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const found: Array<string> = []
    let from = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      if (end === from && this.#bytes === 0) found.push("")
      else {
        this.#pieces.push(bytes.subarray(from, end))
        found.push(this.#taken())
      }
      from = end + 1
    }
    // Copied: a short line would keep the whole chunk.
    this.#pieces.push(Buffer.from(bytes.subarray(from)))
    this.#bytes += bytes.length - from
    return this.#bytes > lineBytes ? "long" : found
  }

  /** The text behind the last line break. */
  rest(): string {
    return this.#taken()
  }

  #taken(): string {
    const text = Buffer.concat(this.#pieces).toString("utf8")
    this.#pieces = []
    this.#bytes = 0
    return text
  }
}

const newline = 0x0a

/** Checks lines one after the other. */
export const makeLineCheck = (endpoint: string) => {
  const names = new Set<string>()
  let line = 0
  return {
    /** The number of the last line. */
    line: () => line,
    count: () => names.size,
    /** The request of a line, a mistake in it, or undefined for a blank line. */
    check: (text: string): GivenLine | BatchError | undefined => {
      line++
      const wrong = (code: string, message: string, param: string | null = null): BatchError => ({
        code,
        line,
        message,
        param
      })
      if (text.trim() === "") return undefined
      const parsed = parseLine(text)
      if (parsed instanceof InvalidRequest) return wrong("invalid_json_line", `The line ${parsed.message}`)
      const decoded = decodeLine(parsed.value)
      if (Either.isLeft(decoded)) return wrong("invalid_request", decoded.left.message, decoded.left.param)
      const { body, custom_id: customId, url } = decoded.right
      if (names.has(customId)) {
        return wrong("duplicate_custom_id", "custom_id: another line has the same", "custom_id")
      }
      names.add(customId)
      if (url !== endpoint) {
        return wrong("mismatched_endpoint", `url: expected the batch's endpoint, ${endpoint}`, "url")
      }
      for (const name of ["stream", "background"]) {
        if (body[name] === true) {
          return wrong("invalid_request", `body.${name}: expected false: answers are read as a whole`, `body.${name}`)
        }
      }
      return { customId, body }
    }
  }
}
