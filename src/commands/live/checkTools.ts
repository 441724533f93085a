import { Console, Effect } from "effect"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import type { McpEntry } from "../../config/sections/Mcp.ts"
import { McpClient } from "../../mcp/McpClient.ts"
import { registered } from "../../mcp/McpServers.ts"
import { table } from "../table.ts"
import { NotAllAnswer } from "./NotAllAnswer.ts"

/** Lists the tools of every server of a configuration, concurrently. */
export const askServers = ({ mcp }: Pick<GatewayFile, "mcp">) =>
  Effect.forEach(Object.entries(mcp?.servers ?? {}), ([name, entry]) => askServer(name, entry), {
    concurrency: 8
  }).pipe(Effect.provide(McpClient.Default))

/** The same, with the results printed. */
export const checkTools = (file: GatewayFile): Effect.Effect<void, NotAllAnswer> =>
  Effect.gen(function* () {
    const replies = yield* askServers(file)
    if (replies.length === 0) return
    yield* Console.log(
      `\n${table(
        ["SERVER OF TOOLS", "ANSWERS", "TOOLS"],
        replies.map(({ row }) => row)
      )}`
    )
    for (const { lines } of replies) for (const line of lines) yield* Console.log(`\n${line}`)
    const away = replies.filter(({ row: [, answers] }) => answers === "no").length
    if (away > 0) return yield* new NotAllAnswer({ message: away === 1 ? "1 problem" : `${away} problems` })
  })

/** A server's row of the table, and what there is to say of it beside. */
const askServer = (name: string, entry: McpEntry) => {
  const server = registered(name, entry)
  if (server.needsToken) return Effect.succeed({ row: [name, "not asked: needs a caller's token", ""], lines: [] })
  return McpClient.pipe(
    Effect.flatMap(({ connect }) => connect(server.reached())),
    Effect.flatMap(({ list }) => list(server.offers)),
    Effect.scoped,
    Effect.match({
      onSuccess: ({ tools, warnings }) => ({
        row: [name, "yes", String(tools.length)],
        lines: warnings.map((warning) => `warning: mcp.servers.${name}: ${warning}`)
      }),
      onFailure: ({ reason }) => ({
        row: [name, "no", ""],
        lines: [`${name}: ${reason}\n  look at: mcp.servers.${name}`]
      })
    })
  )
}
