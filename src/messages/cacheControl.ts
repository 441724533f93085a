import { JsonObject, maybe } from "../contract/fields.ts"

/** A prompt-cache breakpoint, accepted wherever the dialect allows one. */
export const cacheControl = maybe(JsonObject).annotations({
  description: 'Marks a prompt-cache breakpoint: `{"type": "ephemeral"}`.'
})
