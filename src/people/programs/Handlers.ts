import { Effect } from "effect"
import { handlers } from "../../contract/handlers.ts"
import { DevicesApi } from "./Api.ts"
import { makeWaitingPrograms } from "./WaitingPrograms.ts"

export const DevicesHandlers = handlers(
  DevicesApi,
  Effect.map(makeWaitingPrograms, ({ decide, decideRequest, show, showRequest }) => ({
    show: ({ payload, request }) => show(request, payload.code),
    decide: ({ payload, request }) => decide(request, payload),
    showRequest: ({ payload, request }) => showRequest(request, payload.request),
    decideRequest: ({ payload, request }) => decideRequest(request, payload)
  }))
)
