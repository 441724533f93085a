import { afterEach, describe, expect, it } from "@effect/vitest"
import { connect } from "node:net"
import type { Socket as Raw } from "node:net"
import { Socket, usualBounds } from "../../src/http/Socket.ts"
import type { SocketBounds, SocketOptions } from "../../src/http/Socket.ts"

const servers: Array<Bun.Server<Socket>> = []
const clients: Array<Raw> = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await Promise.all(servers.splice(0).map((server) => server.stop(true)))
})

/** A server of sockets with bounds of its own; the sockets that have been left. */
const serve = (bounds: Partial<SocketBounds>, over: Partial<SocketOptions> = {}) => {
  const left: Array<Socket> = []
  const waiting: Array<() => void> = []
  const server = Bun.serve<Socket>({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) => {
      const data = new Socket({
        event: "ask",
        url: "http://gateway/",
        headers: new Headers(),
        ask: () => Promise.resolve(Response.json({ type: "told" })),
        rendered: (failure) => ({ type: "error", tag: failure._tag }),
        isDraining: () => false,
        left: (socket) => {
          left.push(socket)
          for (const wake of waiting.splice(0)) wake()
        },
        bounds: { ...usualBounds, ...bounds },
        ...over
      })
      return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 })
    },
    websocket: {
      open: (ws) => ws.data.opened(ws),
      message: (ws, message) => ws.data.message(message),
      drain: (ws) => ws.data.drained(),
      close: (ws) => ws.data.closed()
    }
  })
  servers.push(server)
  const one = async () => {
    while (left.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { url: `ws://127.0.0.1:${server.port}/`, port: server.port ?? 0, one }
}

const events = (body: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>) =>
  new Response(new ReadableStream({ pull: body }), { headers: { "content-type": "text/event-stream" } })
const event = (size: number) => Buffer.from(`data: {"type":"delta","text":"${"x".repeat(size)}"}\n\n`)

const opened = async (url: string) => {
  const ws = new WebSocket(url)
  const told: Array<unknown> = []
  ws.addEventListener("message", ({ data }) => told.push(JSON.parse(String(data))))
  const closed = new Promise<CloseEvent>((resolve) => ws.addEventListener("close", resolve))
  await new Promise((resolve) => ws.addEventListener("open", resolve))
  return { ws, told, closed }
}

/** A client that opens a socket, asks, and reads no more. */
const deaf = async (port: number, asked: ReadonlyArray<string>) => {
  const client = connect(port, "127.0.0.1")
  clients.push(client)
  client.on("error", () => {})
  client.write(
    "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
  )
  await new Promise<void>((resolve) => client.once("data", () => resolve()))
  client.pause()
  // An empty mask leaves what is asked as it is.
  const frames = asked.map((text) =>
    Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  )
  client.write(Buffer.concat(frames))
  return client
}
const ask = '{"type":"ask"}'

describe("a socket", () => {
  it("is closed when its time is over, in the middle of an answer too, and says so", async () => {
    let cancelled = false
    const never = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(event(1)),
          cancel: () => void (cancelled = true)
        }),
        {
          headers: { "content-type": "text/event-stream" }
        }
      )
    const { one, url } = serve({ longestMs: 100 }, { ask: () => Promise.resolve(never()) })
    const { closed, told, ws } = await opened(url)
    ws.send(ask)
    expect((await closed).code).toBe(1000)
    expect(told).toEqual([
      { type: "delta", text: "x" },
      { type: "error", tag: "InvalidRequest" }
    ])
    await one()
    expect(cancelled).toBe(true)
  })

  it("is cut when its reader takes nothing for too long, and nothing is made meanwhile", async () => {
    let made = 0
    const endless = () =>
      events((controller) => {
        made += 65_536
        controller.enqueue(event(65_536))
      })
    const { one, port } = serve(
      { readerDeadlineMs: 200, mostBuffered: 262_144 },
      { ask: () => Promise.resolve(endless()) }
    )
    await deaf(port, [ask])
    await one()
    // The kernel buffers a few megabytes for a reader.
    expect(made).toBeLessThan(16_000_000)
  })

  it("is not cut while its reader takes some of it now and then", async () => {
    let count = 0
    const { one, port } = serve(
      { readerDeadlineMs: 1_000, mostBuffered: 262_144 },
      {
        ask: () =>
          Promise.resolve(
            events((controller) => {
              if (++count > 400) controller.close()
              else controller.enqueue(event(65_536))
            })
          )
      }
    )
    const client = await deaf(port, [ask])
    let read = 0
    client.on("data", (piece: Buffer) => {
      read += piece.length
      client.pause()
      setTimeout(() => client.resume(), 2)
    })
    client.resume()
    while (count <= 400 && !client.destroyed) await Bun.sleep(10)
    expect(client.destroyed).toBe(false)
    expect(read).toBeGreaterThan(1_000_000)
    client.destroy()
    await one()
  })

  it("is cut when its client asks on and reads none of what it is refused", async () => {
    const { one, port } = serve({ mostBuffered: 65_536 })
    const client = await deaf(port, [])
    let isOver = false
    const over = one().then(() => void (isOver = true))
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d])))
    while (!isOver) {
      client.write(flood)
      await Promise.race([over, Bun.sleep(10)])
    }
  })

  it("that was let in just before the end is told to go", async () => {
    const { url } = serve({}, { isDraining: () => true })
    const ws = new WebSocket(url)
    const code = await new Promise((resolve) => ws.addEventListener("close", ({ code }) => resolve(code)))
    expect(code).toBe(1001)
  })

  it("is open for another message after an answer, whole or streamed, and closed where a stream breaks", async () => {
    let count = 0
    const answers = [
      () => Response.json({ type: "told" }),
      () =>
        events((controller) => {
          controller.enqueue(event(1))
          controller.close()
        }),
      () => events((controller) => controller.error(new Error("broken")))
    ]
    const { url } = serve({}, { ask: () => Promise.resolve((answers[count++] ?? answers[0]!)()) })
    const { closed, told, ws } = await opened(url)
    for (const length of [1, 2]) {
      ws.send(ask)
      while (told.length < length) await Bun.sleep(1)
    }
    expect(told).toEqual([{ type: "told" }, { type: "delta", text: "x" }])
    // The answer before may have an end that is still to be read.
    const asking = setInterval(() => ws.send(ask), 5)
    expect((await closed).code).toBe(1011)
    clearInterval(asking)
  })
})
