import { InvalidRequest } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { isJsonObject } from "../contract/fields.ts"

/**
 * Whether a message of a socket only brings what a later one will go on from (`generate: false`). A request that comes
 * otherwise has no such field.
 */
export const isWarmUp = ({ body, connection }: Pick<Incoming, "body" | "connection">): boolean | InvalidRequest => {
  const generate = connection !== undefined && isJsonObject(body) ? (body["generate"] ?? true) : true
  return typeof generate === "boolean"
    ? !generate
    : new InvalidRequest({
        param: "generate",
        message: `generate: expected a boolean; got ${JSON.stringify(generate)}`
      })
}
