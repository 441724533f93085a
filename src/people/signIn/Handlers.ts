import { Effect, Layer } from "effect"
import { Accounts } from "../../access/store/Accounts.ts"
import { handlers } from "../../contract/handlers.ts"
import { AdminSessionsHandlers } from "./AdminSessionsHandlers.ts"
import { SessionApi } from "./Api.ts"
import { makeOwnSession } from "./OwnSession.ts"

const SessionHandlers = handlers(
  SessionApi,
  Effect.map(makeOwnSession, ({ close, open, show }) => ({
    show: (input) => show(input, input.urlParams.account),
    open: (input) => open(input, input.payload),
    close
  }))
)

/** Handlers of the console's endpoints. */
export const ConsoleHandlers = Layer.merge(Layer.provide(SessionHandlers, Accounts.Default), AdminSessionsHandlers)
