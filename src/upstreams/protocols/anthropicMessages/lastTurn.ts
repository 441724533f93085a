import type { Conversation } from "../../../generation/Conversation.ts"
import { claudeVersion } from "../../../config/providers/claudeVersion.ts"
import type { Notes } from "../notes.ts"

/** False from version 4.6 on: a conversation ends with the user. */
export const continuesTurns = (model: string): boolean => claudeVersion(model) < 4.6

/**
 * True if a turn of the user has to follow the assistant's last one, for a caller whose dialect has answers to it. A
 * caller who wants the turn itself continued is refused: another answer would not be its rest.
 */
export const needsUser = (
  role: string | undefined,
  model: string,
  { inputParam = "input", prefills }: Conversation,
  notes: Notes
): boolean => {
  if (role !== "assistant" || continuesTurns(model)) return false
  if (prefills === true) notes.refuse(inputParam, "the model continues no turn of the assistant; end with the user's")
  return prefills !== true
}

/** The user's words behind a last turn of the assistant. */
export const goOn = "Continue."
