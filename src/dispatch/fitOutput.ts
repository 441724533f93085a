import { mostOutput } from "../catalogue/outputLimits.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { beyondOutput, outputParam } from "../generation/outputBound.ts"
import type { Route } from "../routing/Route.ts"
import { outputRoom } from "../tokens/outputRoom.ts"
import type { Unsupported } from "./unsupported.ts"

/** A translated conversation that asks for no more output than its route's model is known to write. */
export interface FittedOutput {
  readonly fitted: Conversation
  /** The bound, if it was cut; with the reason to refuse it in strict mode. */
  readonly cut: ReadonlyArray<Unsupported>
}

/** Cuts the output bound to the known limits of a route: the model's most output, and the room in its context. */
export const fitOutput = (model: Model, route: Route, conversation: Conversation, strict: boolean): FittedOutput => {
  const { maxOutputTokens } = conversation
  if (maxOutputTokens === undefined) return { fitted: conversation, cut: [] }
  const room = model.contextTokens === undefined ? undefined : outputRoom(conversation, model.contextTokens)
  const most = Math.min(mostOutput(model, route) ?? Infinity, room ?? Infinity)
  if (maxOutputTokens <= most) return { fitted: conversation, cut: [] }
  const refusal = strict ? { refusal: beyondOutput(conversation, most).message } : {}
  return {
    fitted: { ...conversation, maxOutputTokens: most },
    cut: [{ param: outputParam(conversation), ...refusal }]
  }
}
