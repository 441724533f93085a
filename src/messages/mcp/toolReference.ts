import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { shorten } from "../../contract/text/shorten.ts"

/** The code of a change or a list that names what the conversation does not have. */
export const unresolved = { error_code: "tool_reference_unresolved" } as const
const conflict = { error_code: "tool_name_conflict" } as const

/** The refusal of a change that names a tool or a server which is not there. */
export const unresolvedAt = (param: string, what: string): InvalidRequest =>
  new InvalidRequest({ param, message: `${param}: ${what}`, details: unresolved })

/** The refusal of a tool that takes the name of another kind of tool. */
export const conflictAt = (param: string, name: string): InvalidRequest =>
  new InvalidRequest({
    param,
    message: `${param}: another kind of tool, or a tool of another server, has the name ${JSON.stringify(shorten(name))}`,
    details: conflict
  })
