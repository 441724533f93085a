import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { failedEnd } from "../../src/mcp/McpClient.ts"
import type { McpConnection } from "../../src/mcp/McpClient.ts"
import { httpFailure } from "../../src/mcp/McpFailure.ts"
import type { McpServer, McpTool } from "../../src/mcp/McpServer.ts"
import { personalConnection } from "../../src/mcp/personalConnection.ts"

const tool: McpTool = {
  name: "pay",
  description: "",
  inputSchema: {},
  annotations: {},
  mirrored: []
}

/** How often a call leaves whose answer has a status and a challenge. */
const sentBy = (status: number, challenge: string | undefined) =>
  Effect.gen(function* () {
    let sent = 0
    let tokens = 0
    const failure = httpFailure(status, "refused", undefined, challenge)
    const opened: McpConnection = {
      list: () => Effect.fail(failure),
      call: () =>
        Effect.sync(() => {
          sent++
          return failedEnd(failure, 1)
        })
    }
    const send: McpServer["send"] = () => Effect.die("nothing is sent")
    const server = { name: "bank", url: "https://bank.test/mcp", send }
    const connection = yield* personalConnection({
      server: { ...server, clientId: undefined, clientSecret: undefined, issuer: undefined, scopes: undefined },
      person: "p",
      reached: (token) => ({
        ...server,
        headers: Redacted.make({ token: Redacted.value(token) }),
        callMs: 1,
        listMs: 0
      }),
      tokenOf: () => Effect.sync(() => Redacted.make(`token ${++tokens}`)),
      connect: () => Effect.succeed(opened)
    })
    expect((yield* connection.call(tool, "{}")).failure?.status).toBe(status)
    return sent
  }).pipe(Effect.scoped)

it.effect("a call is made again with another token if the server refused the first by name alone", () =>
  Effect.gen(function* () {
    expect(yield* sentBy(401, 'Bearer error="invalid_token"')).toBe(2)
    expect(yield* sentBy(401, undefined)).toBe(1)
    expect(yield* sentBy(401, 'Basic realm="behind"')).toBe(1)
    expect(yield* sentBy(403, undefined)).toBe(1)
    expect(yield* sentBy(500, "Bearer")).toBe(1)
  })
)
