import type { JsonObject } from "../contract/fields.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { McpServerRequest } from "../generation/McpServerRequest.ts"
import type { AskedServers } from "./TextFamily.ts"

/** Reports a mistake in a field. The caller sees the first one. */
export type Complain = (param: string, rule: string, details?: JsonObject) => void

type Read = (complain: Complain) => ReadonlyArray<McpServerRequest>

/** The servers of a request. They are read once, and only where they are used. */
export const askedServers = (read: Read, more: Omit<AskedServers, "list" | "problem">): AskedServers => {
  let problem: InvalidRequest | undefined
  let known: ReadonlyArray<McpServerRequest> | undefined
  const list = () =>
    (known ??= read((param, rule, details) => {
      problem ??= new InvalidRequest({ param, message: `${param}: ${rule}`, ...(details && { details }) })
    }))
  return {
    ...more,
    list,
    problem: () => {
      list()
      return problem
    }
  }
}
