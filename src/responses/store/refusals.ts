import { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import { shorten } from "../../contract/text/shorten.ts"

export const unknownResponse = (id: string) =>
  new NotFound({ param: null, message: `Response with id '${id}' not found.` })

export const unknownPrevious = (id: string) =>
  new InvalidRequest({
    param: "previous_response_id",
    message: `Previous response with id '${shorten(id)}' not found.`,
    details: { error_code: "previous_response_not_found" }
  })

/** OpenAI's message. */
export const duplicateItem = (id: string) =>
  new InvalidRequest({
    param: "input",
    message: `Duplicate item found with id ${shorten(id)}. Remove duplicate items from your input and try again.`
  })

export const tooMuch = new InvalidRequest({
  param: "input",
  message: "input: the responses that its references name are longer than 32 MiB together; send the items themselves"
})

export const tooLong = new InvalidRequest({
  param: "previous_response_id",
  message: "previous_response_id: the conversation that it continues is longer than 32 MiB; begin another one"
})

export const unfinishedPrevious = (id: string) =>
  new InvalidRequest({
    param: "previous_response_id",
    message: `Previous response with id '${id}' has not ended yet; it can be continued once it has.`
  })

export const unknownItem = (id: string) =>
  new NotFound({
    param: "input",
    message:
      `Item with id '${shorten(id)}' not found. Items are not persisted when \`store\` is set to false. ` +
      "Try again with `store` set to true, or remove this item from your input."
  })

export const unknownConversation = (id: string) =>
  new NotFound({ param: null, message: `Conversation with id '${shorten(id)}' not found.` })

export const unknownConversationItem = (id: string) =>
  new NotFound({ param: null, message: `Item with id '${shorten(id)}' not found in this conversation.` })

/** OpenAI's answer, which its Agents SDK waits on. */
export const conversationLocked = new InvalidRequest({
  param: "conversation",
  upstreamCode: "conversation_locked",
  message: "Another response is being made in this conversation: try again once it has ended"
})

export const conversationFull = new InvalidRequest({
  param: "conversation",
  message: "conversation: it has 10,000 items or 32 MiB, which is the most; begin another one"
})
