import { Either, ParseResult } from "effect"
import { describe } from "../../src/contract/describe.ts"
import type { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { understand } from "../../src/messages/decode.ts"
import { CreateMessage } from "../../src/messages/Request.ts"

export const minimal = { model: "m", max_tokens: 4096, messages: [{ role: "user", content: "hi" }] }

const parse = ParseResult.decodeUnknownEither(CreateMessage, { errors: "first" })

type Answer = Either.Either<Conversation, Pick<InvalidRequest, "param" | "message">>

/** Through the contract and then the family's decoder, as the server does it. */
const read = (fields: object): Answer =>
  Either.flatMap(Either.mapLeft(parse({ ...minimal, ...fields }), describe), (request): Answer => {
    const { conversation, objection } = understand(request, fields)
    const refused = objection()
    return refused === undefined ? Either.right(conversation) : Either.left(refused)
  })

/** The conversation of a minimal request with these fields. */
export const conversation = (fields: object): Conversation =>
  Either.getOrThrowWith(read(fields), ({ message }) => new Error(message))

/** The conversation's items for the content of one user message. */
export const itemsOf = (content: unknown, role = "user") => conversation({ messages: [{ role, content }] }).items

/** The message of a minimal request with these fields, which must be refused. */
export const refusal = (fields: object) => {
  const answer = read(fields)
  if (Either.isRight(answer)) throw new Error("the request passed")
  return { param: answer.left.param, message: answer.left.message }
}
