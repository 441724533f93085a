import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { McpApi } from "./Api.ts"
import { McpEndpoint } from "./endpoint/McpEndpoint.ts"

export const McpHandlers = handlers(
  McpApi,
  Effect.map(McpEndpoint, ({ answer }) => ({
    all: ({ caller, request }) => answer(caller, request, undefined),
    one: ({ caller, path, request }) => answer(caller, request, path.server)
  }))
).pipe(Layer.provide(McpEndpoint.Default))
