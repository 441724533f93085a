import type { Caller, KeyId } from "../contract/Caller.ts"
import { RateLimited } from "../contract/Failure.ts"
import { Members } from "../flow/Members.ts"
import type { Handler, Server, Serving } from "./exchange.ts"
import type { Route } from "./compile.ts"
import { Socket, usualBounds } from "./Socket.ts"
import { authenticate, serveRoute } from "./route.ts"
import { socketFailure } from "./socketFailure.ts"

type Upgrading = Pick<Bun.Server<Socket>, "upgrade"> & Server

/** What may answer in place of a socket. */
type Otherwise = (request: Request, server: Server) => Response

/** Frames that a slow reader left, in bytes: past it the socket is cut. */
const mostUnread = 64 * 1024 * 1024

/**
 * Open sockets of a key, and of all keys. Bun does not show a message before it is whole, so each socket may hold one of
 * the longest: together they stay under 512 MiB.
 */
const mostOfKey = 16
const mostOfAll = 256
const longestMessage = 2_000_000

/** The sockets of a server, and the endpoints that they ask. */
export const makeSockets = (serving: Serving) => {
  const open = new Members<{ readonly socket: Socket; readonly key: KeyId }>()

  const full = ({ key }: Caller): RateLimited | undefined => {
    if (open.all().filter((one) => one.key === key).length >= mostOfKey) return fullKey
    return open.size >= mostOfAll ? fullServer : undefined
  }

  /** Opens a socket for whoever asks for one on a route's path and has a key; others are answered as before. */
  const upgrade = (route: Route, event: string, handler: Handler, otherwise: Otherwise) => {
    const rendered = socketFailure(route.renderFailure)
    const ask = serveRoute(serving, { ...route, isIdempotent: false, renderFailure: rendered }, handler)
    const knocked = authenticate(serving, route, full)
    return async (request: Bun.BunRequest, server: Upgrading): Promise<Response | undefined> => {
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return otherwise(request, server)
      const caller = await knocked(request, server)
      if (caller instanceof Response) return caller
      let leave = () => {}
      const socket = new Socket({
        event,
        url: `http://gateway${route.path}`,
        headers: asked(request.headers),
        ask: (one, framed) => ask(one, server, framed),
        rendered: (failure) => rendered(failure, "").body,
        isDraining: serving.lifecycle.isDraining,
        left: () => leave(),
        bounds: usualBounds
      })
      if (!server.upgrade(request, { data: socket })) return otherwise(request, server)
      leave = open.join({ socket, key: caller.key })
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
    // Bun asks a silent client whether it is there.
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

const fullKey = new RateLimited({
  message: `This API key has ${mostOfKey} WebSockets open, which is the most; close one, or send the request by HTTP`,
  retryAfterSeconds: null
})

const fullServer = new RateLimited({
  message: `The gateway has ${mostOfAll} WebSockets open, which is the most; try again later, or send the request by HTTP`,
  retryAfterSeconds: null
})

/** The headers of every request that a socket makes: those of its opening, but for what belongs to that alone. */
const asked = (given: Headers): Headers => {
  const headers = new Headers(given)
  for (const name of ofOpening) headers.delete(name)
  return headers
}

const ofOpening = [
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
