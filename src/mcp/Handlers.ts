import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import type { Incoming } from "../contract/handlers.ts"
import { McpApi } from "./Api.ts"
import type { NoStream } from "./Api.ts"
import { McpEndpoint } from "./endpoint/McpEndpoint.ts"

const noStream = ({ replyHeaders }: Incoming): Effect.Effect<NoStream> =>
  Effect.sync(() => {
    replyHeaders["allow"] = "POST"
    return { error: { message: "There is no stream to open: each answer comes with its request." } }
  })

export const McpHandlers = handlers(
  McpApi,
  Effect.map(McpEndpoint, ({ answer }) => ({
    all: ({ caller, request }) => answer(caller, request, undefined),
    one: ({ caller, path, request }) => answer(caller, request, path.server),
    stream: ({ request }) => noStream(request),
    streamOfOne: ({ request }) => noStream(request)
  }))
).pipe(Layer.provide(McpEndpoint.Default))
