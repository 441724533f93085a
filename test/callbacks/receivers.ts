import { createServer as createHttp } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { createServer as createTcp } from "node:net"
import type { AddressInfo, Server } from "node:net"
import { Effect } from "effect"

export interface Received {
  readonly atMs: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

/** A receiver that takes notes; `until` waits for what it is to have received. */
export const receiver = (answer: (received: Received) => { status: number; headers?: Record<string, string> }) => {
  const received: Array<Received> = []
  const server = createHttp((request, reply) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one = { atMs: Date.now(), headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      const { status, headers } = answer(one)
      reply.writeHead(status, headers).end("a body that must stay hidden")
    })
  })
  const until = (count: number) =>
    Effect.gen(function* () {
      while (received.length < count) yield* Effect.sleep("5 millis")
      return received
    })
  return Effect.map(listening(server), (port) => ({ port, received, until }))
}

/** A receiver that takes connections and says nothing on any. */
export const deadReceiver = Effect.gen(function* () {
  const held: Array<unknown> = []
  const port = yield* listening(
    createTcp((socket) => {
      held.push(socket)
      socket.on("error", () => {})
    })
  )
  return { port, held: () => held.length }
})
