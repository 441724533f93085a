import { Effect } from "effect"
import { handlers } from "../../contract/handlers.ts"
import { DevicesApi } from "./Api.ts"
import { makeWaitingPrograms } from "./WaitingPrograms.ts"

export const DevicesHandlers = handlers(
  DevicesApi,
  Effect.map(makeWaitingPrograms, ({ decide, decideRequest, show, showRequest }) => ({
    show: (input) => show(input, input.payload.code),
    decide: (input) => decide(input, input.payload),
    showRequest: (input) => showRequest(input, input.payload.request),
    decideRequest: (input) => decideRequest(input, input.payload)
  }))
)
