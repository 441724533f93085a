import type { Failure } from "../contract/failures/Failure.ts"
import type { TypedBody } from "../contract/wire.ts"
import { messagesErrors } from "../contract/failures/anthropicErrors.ts"
import { failureUnion, typedBody } from "../contract/wire.ts"

/** The failures of a messages endpoint. */
export const MessagesError = failureUnion("Messages", messagesErrors, typedBody)

/** A failure's body in this family, for the in-band `error` frame and for a failed task. */
export const errorBody = (failure: Failure): TypedBody => typedBody.encode(failure, messagesErrors[failure._tag])
