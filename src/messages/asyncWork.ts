import { Effect, Layer, Schema } from "effect"
import { Models } from "../models/Models.ts"
import { MessageWork } from "../tasks/MessageKind.ts"
import { errorBody } from "./Errors.ts"
import { runMessage } from "./Handlers.ts"
import { CreateMessage } from "./Request.ts"

/** What an async message task runs: the synchronous path, its failures in the family's words. */
export const MessageWorkLive = Layer.effect(
  MessageWork,
  Effect.map(
    Models,
    (models) => (caller, body, request, charge) =>
      decodeBody(body).pipe(
        // It was valid when it was accepted; if it is not now, this gateway is another one.
        Effect.orDie,
        Effect.flatMap((payload) => runMessage(models, caller, payload, request, charge)),
        Effect.mapError((failure) => {
          const { message, type } = errorBody(failure).error
          return { code: type, message }
        })
      )
  )
)

const decodeBody = Schema.decodeUnknown(CreateMessage)
