import { Effect } from "effect"
import type { McpEntry } from "../config/sections/Mcp.ts"
import { McpClient } from "../mcp/McpClient.ts"
import { registered } from "../mcp/McpServers.ts"
import { ServerStates } from "../mcp/ServerStates.ts"

/** Asks a server for its tools with a client of its own, which has kept nothing. @returns why there are none */
export const listToolsNow = (name: string, entry: McpEntry) =>
  Effect.gen(function* () {
    const { watch } = yield* ServerStates
    const server = registered(name, entry, watch)
    if (server.needsToken) return "it wants a token of each caller (auth: caller)"
    if (server.personal !== undefined) return "it wants the account of each person (auth: person)"
    const { connect } = yield* McpClient
    return yield* connect(server.reached()).pipe(
      Effect.flatMap(({ list }) => list(server.offers)),
      Effect.scoped,
      Effect.match({ onSuccess: () => null, onFailure: ({ reason }) => reason })
    )
  }).pipe(Effect.provide(McpClient.Default))
