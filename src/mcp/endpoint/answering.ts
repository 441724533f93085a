import { Effect, Either, Struct } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import { Forbidden, NotFound } from "../../contract/failures/Failure.ts"
import type { RateLimited } from "../../contract/failures/Failure.ts"
import type { Handlers, Incoming } from "../../contract/handlers.ts"
import { isObject } from "../../contract/json/json.ts"
import { countRequest } from "../../limits/countRequest.ts"
import { Limits } from "../../limits/Limits.ts"
import { LoadedServers } from "../LoadedServers.ts"
import { McpServers } from "../McpServers.ts"
import { OwnMark } from "../OwnMark.ts"
import type { McpAnswer, McpApi, McpMessage } from "./Api.ts"
import type { Answer } from "./answers.ts"
import { readMessage } from "./readMessage.ts"
import { makeServedTools } from "./ServedTools.ts"
import type { ServedTools } from "./ServedTools.ts"

interface Input {
  readonly caller: Caller
  readonly payload: McpMessage
  readonly request: Incoming
}

/** The handlers of MCP's endpoints: one message, one answer, nothing kept in between. */
export const makeAnswering = Effect.gen(function* () {
  const publicUrl = yield* PublicUrl
  const mark = yield* OwnMark
  const limits = yield* Limits
  const { ofAll, ofOne } = yield* Effect.provideServiceEffect(
    makeServedTools,
    McpServers,
    Effect.flatten(LoadedServers)
  )

  /** Refuses web pages of other origins, which could reach a gateway in their reader's own network. */
  const checkOrigin = ({ headers, replyHeaders }: Incoming): Effect.Effect<void, Forbidden> => {
    const origin = headers.get("origin")
    if (origin === null || "access-control-allow-origin" in replyHeaders) return Effect.void
    return Effect.flatMap(publicUrl.get, (url) => (URL.parse(url)?.origin === origin ? Effect.void : foreignOrigin))
  }

  /** Refuses what the gateway itself sent: it would list its own tools without end. */
  const checkSource = ({ headers }: Incoming): Effect.Effect<void, Forbidden> =>
    mark !== "" && headers.get("via")?.includes(mark) === true
      ? Effect.zipRight(Effect.logWarning("a server of mcp.servers is this gateway itself"), ownRequest)
      : Effect.void

  const answer = ({ caller, payload, request }: Input, tools: ServedTools) => {
    const sent = { ...(isObject(request.body) && Struct.pick(request.body, "result", "error")), ...payload }
    const asked = readMessage(sent, request.headers, tools.instructions)
    const call = Either.isRight(asked) ? asked.right.call : undefined
    if (call === undefined && request.record !== undefined) request.record.hasRow = false
    const counted = call === undefined ? Effect.void : countRequest(limits, caller)
    return Effect.zipRight(
      Effect.all([checkSource(request), checkOrigin(request), counted]),
      Either.isLeft(asked) ? Effect.succeed(asked.left) : tools.answer(asked.right, caller, request)
    ).pipe(Effect.map(overHttp))
  }

  return {
    all: (input) => answer(input, ofAll),
    one: ({ path, ...input }): Effect.Effect<McpAnswer | Response, Forbidden | NotFound | RateLimited> => {
      const tools = ofOne(path.server, input.caller)
      return tools === undefined ? Effect.fail(unknownServer(path.server)) : answer(input, tools)
    }
  } satisfies Handlers<typeof McpApi>
})

const foreignOrigin = new Forbidden({
  message: "Origin: web pages of this origin may not use the gateway; server.cors_origins lists those that may"
})

const ownRequest = new Forbidden({ message: "Via: the gateway may not be an MCP server of its own" })

const overHttp = ({ body, status }: Answer): McpAnswer | Response => {
  if (body === undefined) return new Response(null, { status })
  return status === 200 ? body : Response.json(body, { status })
}

const unknownServer = (server: string) =>
  new NotFound({ message: `There is no MCP server ${JSON.stringify(server.slice(0, 100))}`, param: null })
