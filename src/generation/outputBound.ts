import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Conversation } from "./Conversation.ts"

/** The caller's name of the output bound. */
export const outputParam = ({ outputParam: param = "max_output_tokens" }: Conversation): string => param

/** Refuses more output than the model writes. */
export const beyondOutput = (conversation: Conversation, most: number): InvalidRequest => {
  const param = outputParam(conversation)
  return new InvalidRequest({
    param,
    message: `${param}: expected an integer between 1 and ${most}; got ${conversation.maxOutputTokens}`
  })
}
