import type { Caller, KeyId } from "../contract/callers/Caller.ts"
import { credentialFirst } from "../contract/callers/credential.ts"
import { RateLimited } from "../contract/failures/Failure.ts"
import { Members } from "../flow/Members.ts"
import type { Handler, Server, Serving } from "./exchange.ts"
import type { Route } from "./compile.ts"
import { Socket, usualBounds } from "./Socket.ts"
import { authenticate, serveRoute } from "./route.ts"
import { socketFailure } from "./socketFailure.ts"
import type { Holding } from "./Unfinished.ts"

type Upgrading = Pick<Bun.Server<Socket>, "upgrade"> & Server

/** Answers requests that do not upgrade. */
type PlainAnswer = (request: Request, server: Server) => Response

/** Unread bytes at which Bun disconnects a slow client. */
const mostUnread = 64 * 1024 * 1024

/**
 * Open sockets per key, and in total. Bun buffers each message until it is complete, so the total bounds these buffers to
 * 512 MB.
 */
const mostOfKey = 16
const mostOfAll = 256
const longestMessage = 2_000_000

/** The open WebSockets of a server. */
export const makeSockets = (serving: Serving) => {
  const open = new Members<{ readonly socket: Socket; readonly key: KeyId }>()

  const full = (caller: Caller): RateLimited | undefined => {
    if (open.all().filter((one) => one.key === caller.key).length >= mostOfKey) return fullKey(caller)
    return open.size >= mostOfAll ? fullServer : undefined
  }

  const begun = (caller: Caller): Holding | RateLimited => full(caller) ?? serving.unfinished.begin(caller)

  /** Opens a socket for an authenticated upgrade request on a route's path; other requests get the plain answer. */
  const upgrade = (route: Route, event: string, handler: Handler, answerPlain: PlainAnswer) => {
    // Only endpoints of one family have sockets, so the headers do not matter.
    const rendered = socketFailure(route.rendererFor(new Headers()))
    const ask = serveRoute(serving, { ...route, isIdempotent: false, rendererFor: () => rendered }, handler)
    const callerOf = authenticate(serving, route, begun)
    return async (request: Bun.BunRequest, server: Upgrading): Promise<Response | undefined> => {
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return answerPlain(request, server)
      const opened = await callerOf(request, server)
      if (opened instanceof Response) return opened
      const { caller, holding } = opened
      let leave = () => {}
      const socket = new Socket({
        event,
        url: `http://gateway${route.path}`,
        headers: requestHeaders(request.headers),
        ask: (one, framed) => ask(one, server, framed),
        rendered: (failure) => rendered(failure, "").body,
        isDraining: serving.lifecycle.isDraining,
        left: () => leave(),
        bounds: usualBounds
      })
      if (!server.upgrade(request, { data: socket })) {
        holding.end()
        return answerPlain(request, server)
      }
      const left = open.join({ socket, key: caller.key })
      leave = () => {
        left()
        holding.end()
      }
      return undefined
    }
  }

  const websocket = (): Bun.WebSocketHandler<Socket> => ({
    open: (ws) => ws.data.opened(ws),
    message: (ws, message) => ws.data.message(message),
    drain: (ws) => ws.data.drained(),
    close: (ws) => ws.data.closed(),
    maxPayloadLength: longestMessage,
    backpressureLimit: mostUnread,
    closeOnBackpressureLimit: true,
    perMessageDeflate: false,
    // Bun pings idle clients before this timeout.
    idleTimeout: 120
  })

  return {
    upgrade,
    websocket,
    isIdle: () => open.size === 0,
    drain: () => {
      for (const { socket } of open.all()) socket.leave()
    }
  } as const
}

const fullKey = (caller: Caller) =>
  new RateLimited({
    message: `${credentialFirst(caller)} has ${mostOfKey} WebSockets open, which is the most; close one, or send the request by HTTP`,
    retryAfterSeconds: null
  })

const fullServer = new RateLimited({
  message: `The gateway has ${mostOfAll} WebSockets open, which is the most; try again later, or send the request by HTTP`,
  retryAfterSeconds: null
})

/** The headers of every request on a socket: those of the upgrade request, without its own. */
const requestHeaders = (upgrade: Headers): Headers => {
  const headers = new Headers(upgrade)
  for (const name of upgradeHeaders) headers.delete(name)
  return headers
}

const upgradeHeaders = [
  "connection",
  "content-encoding",
  "content-length",
  "idempotency-key",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "upgrade"
]
