import { Effect } from "effect"
import { handlers } from "../../contract/handlers.ts"
import { DevicesApi } from "./Api.ts"
import { makeWaitingPrograms } from "./WaitingPrograms.ts"

export const DevicesHandlers = handlers(
  DevicesApi,
  Effect.map(makeWaitingPrograms, ({ decide, show }) => ({
    show: ({ payload, request }) => show(request, payload.code),
    decide: ({ payload, request }) => decide(request, payload)
  }))
)
