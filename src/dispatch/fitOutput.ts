import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { beyondOutput, outputParam } from "../generation/outputBound.ts"
import { outputRoom } from "../tokens/outputRoom.ts"
import type { Unsupported } from "./unsupported.ts"

/** A translated conversation that asks for no more output than its route's model is known to write. */
export interface FittedOutput {
  readonly fitted: Conversation
  /** The bound, if it was cut; with the reason to refuse it in strict mode. */
  readonly cut: ReadonlyArray<Unsupported>
}

/** Cuts the output bound to the known limits of a route: the model's most output, and the room in its context. */
export const fitOutput = (
  { contextTokens }: Model,
  { outputLimit }: ServedRoute,
  conversation: Conversation,
  strict: boolean
): FittedOutput => {
  // A copy, so that the items are computed here and the protocols read plain data.
  const fitted = { ...conversation }
  const { maxOutputTokens } = fitted
  if (maxOutputTokens === undefined) return { fitted, cut: [] }
  const room = contextTokens === undefined ? undefined : outputRoom(fitted, contextTokens)
  const most = Math.min(outputLimit ?? Infinity, room ?? Infinity)
  if (maxOutputTokens <= most) return { fitted, cut: [] }
  const refusal = strict ? { refusal: beyondOutput(fitted, most).message } : {}
  return { fitted: { ...fitted, maxOutputTokens: most }, cut: [{ param: outputParam(fitted), ...refusal }] }
}
