import type { Refusal } from "./rule.ts"

export const deserialize = (says: string): Refusal => ({
  says: `Failed to deserialize the JSON body into the target type: ${says}`,
  code: "invalid_request_error"
})
