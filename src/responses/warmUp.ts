import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { isJsonObject } from "../contract/fields.ts"

/** True if a socket's message only prepares a later one (`generate: false`). HTTP requests have no such field. */
export const isWarmUp = ({ body, connection }: Pick<Incoming, "body" | "connection">): boolean | InvalidRequest => {
  const generate = connection !== undefined && isJsonObject(body) ? (body["generate"] ?? true) : true
  return typeof generate === "boolean"
    ? !generate
    : new InvalidRequest({
        param: "generate",
        message: `generate: expected a boolean; got ${JSON.stringify(generate)}`
      })
}

/** The body as the contract checks it. A warm-up may have no input yet; the next message brings it. */
export const checkedBody = (request: Pick<Incoming, "body" | "connection">): unknown => {
  const { body } = request
  if (!isJsonObject(body) || isWarmUp(request) !== true) return body
  const input = body["input"] ?? []
  return Array.isArray(input) && input.length === 0 ? { ...body, input: "" } : body
}
