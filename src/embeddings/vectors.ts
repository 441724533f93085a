import { isJsonObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"

/**
 * An answer's vectors in the format that the caller asked for: some servers ignore `encoding_format`, and OpenAI's
 * clients ask for base64 by default. Vectors of other element types than 32-bit floats stay as they are.
 */
export const inFormat = (answer: JsonObject, request: JsonObject): JsonObject => {
  const type = request["output_dtype"] ?? "float"
  const { data } = answer
  if (!Array.isArray(data) || type !== "float") return answer
  const convert = request["encoding_format"] === "base64" ? packed : numbers
  return {
    ...answer,
    data: data.map((one: unknown) => (isJsonObject(one) ? { ...one, embedding: convert(one["embedding"]) } : one))
  }
}

const bytesPerFloat = 4

/** Numbers as base64 of little-endian 32-bit floats. */
const packed = (vector: JsonObject[string]): JsonObject[string] => {
  if (!Array.isArray(vector)) return vector
  const bytes = Buffer.alloc(vector.length * bytesPerFloat)
  for (const [at, value] of vector.entries()) {
    if (typeof value !== "number") return vector
    bytes.writeFloatLE(value, at * bytesPerFloat)
  }
  return bytes.toString("base64")
}

const numbers = (vector: JsonObject[string]): JsonObject[string] => {
  if (typeof vector !== "string") return vector
  const bytes = Buffer.from(vector, "base64")
  if (bytes.length % bytesPerFloat !== 0) return vector
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, at) => bytes.readFloatLE(at * bytesPerFloat))
}
