import { Effect, Layer } from "effect"
import { Accounts } from "../../access/store/Accounts.ts"
import { handlers } from "../../contract/handlers.ts"
import { AdminSessionsHandlers } from "./AdminSessionsHandlers.ts"
import { SessionApi } from "./Api.ts"
import { makeOwnSession } from "./OwnSession.ts"

const SessionHandlers = handlers(
  SessionApi,
  Effect.map(makeOwnSession, ({ close, open, show }) => ({
    show: ({ request, urlParams: { account } }) => show(request, account),
    open: ({ caller, payload, request }) => open(caller, payload, request),
    close: ({ request }) => close(request)
  }))
)

/** Handlers of the console's endpoints. */
export const ConsoleHandlers = Layer.merge(Layer.provide(SessionHandlers, Accounts.Default), AdminSessionsHandlers)
