import { readFileSync } from "node:fs"
import { createServer as createHttp } from "node:http"
import type { RequestListener } from "node:http"
import { createServer as createHttps } from "node:https"
import { connect, createServer as createTcp } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import { join, resolve } from "node:path"
import tls from "node:tls"
import type { TLSSocket } from "node:tls"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { dial } from "../../src/guard/dial.ts"
import type { Outgoing } from "../../src/guard/dial.ts"

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
const trusted = tls.getCACertificates("default")
beforeAll(() => tls.setDefaultCACertificates([...trusted, fixture("ca.pem")]))
afterAll(() => tls.setDefaultCACertificates(trusted))

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

const http = (answer: RequestListener) => listening(createHttp(answer))
const raw = (answer: (socket: Socket) => void) =>
  listening(
    createTcp((socket) => {
      socket.on("error", () => {})
      answer(socket)
    })
  )

const patience = { connectTimeoutMs: 60_000, totalTimeoutMs: 90_000 }
const hurry = { connectTimeoutMs: 300, totalTimeoutMs: 600 }
const get: Outgoing = { method: "GET", headers: {}, ...patience, maxBytes: 1_000 }
const ask = (url: string, request: Partial<Outgoing> = {}, addresses = ["127.0.0.1"]) =>
  dial({ url: new URL(url), addresses }, { ...get, ...request })
const reason = (url: string, request: Partial<Outgoing> = {}) =>
  Effect.map(Effect.flip(ask(url, request)), (failed) => failed.reason)

describe("dialling a checked address", () => {
  it.scopedLive("sends the URL's own Host, method, path, query and body", () =>
    Effect.gen(function* () {
      const port = yield* http(async (request, reply) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        reply.end([request.method, request.url, request.headers.host, Buffer.concat(chunks).toString()].join(" "))
      })
      const body = new TextEncoder().encode("hello")
      const reply = yield* ask(`http://receiver.test:${port}/a%20b?c=d#e`, { method: "POST", body })
      expect([reply.status, reply.complete]).toEqual([200, true])
      expect(Buffer.from(reply.body).toString()).toBe(`POST /a%20b?c=d receiver.test:${port} hello`)
    })
  )

  it.scopedLive("speaks TLS under the URL's name and trusts no certificate of another", () =>
    Effect.gen(function* () {
      const names: Array<unknown> = []
      const port = yield* listening(
        createHttps({ key: fixture("receiver.test.key.pem"), cert: fixture("receiver.test.pem") }, (request, reply) => {
          names.push((request.socket as TLSSocket).servername)
          reply.end("ok")
        })
      )
      expect((yield* ask(`https://receiver.test:${port}/`)).status).toBe(200)
      expect(names).toEqual(["receiver.test"])
      const refused = "the TLS certificate or handshake was not accepted"
      expect(yield* reason(`https://other.test:${port}/`)).toBe(refused)
      expect(yield* reason(`https://127.0.0.1:${port}/`)).toBe(refused)
      expect(names).toHaveLength(1)
    })
  )

  it.scopedLive("asks no proxy, whatever the environment said when the process began", () =>
    Effect.gen(function* () {
      let proxied = 0
      const proxy = yield* raw((socket) => {
        proxied++
        socket.destroy()
      })
      const port = yield* http((_request, reply) => reply.end("direct"))
      const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"]
      const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy}`]))
      const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, path))
      const asking = `import { dial } from ${source("../../src/guard/dial.ts")}
        import { Effect } from "effect"
        const request = ${JSON.stringify(get)}
        const asked = { url: new URL("http://receiver.test:${port}/"), addresses: ["127.0.0.1"] }
        const { status } = await Effect.runPromise(dial(asked, request))
        console.log(status)`
      const child = Bun.spawn([process.execPath, "-e", asking], {
        cwd: import.meta.dirname,
        env: { PATH: process.env["PATH"] ?? "", ...proxies, NODE_USE_ENV_PROXY: "1" },
        stdout: "pipe"
      })
      expect(yield* Effect.promise(() => new Response(child.stdout).text())).toBe("200\n")
      expect(proxied).toBe(0)
    })
  )

  it.scopedLive("by a proxy, lets it resolve the name, and speaks TLS with the receiver itself", () =>
    Effect.gen(function* () {
      const tls = { key: fixture("receiver.test.key.pem"), cert: fixture("receiver.test.pem") }
      const port = yield* listening(
        createHttps(tls, (request, reply) => {
          // Later than a connection may take.
          setTimeout(() => reply.end(`secure ${request.url}`), hurry.connectTimeoutMs + 50)
        })
      )
      const heads: Array<string> = []
      const proxy = yield* raw((socket) =>
        socket.once("data", (first) => {
          const head = first.toString("latin1")
          heads.push(head)
          if (head.startsWith("CONNECT refused.test")) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
          if (!head.startsWith("CONNECT")) return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nplain")
          const onward = connect(port, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
            socket.pipe(onward).pipe(socket)
          })
        })
      )
      const by = (url: string) =>
        dial({ url: new URL(url), addresses: [], proxy: `http://user:p%40ss@127.0.0.1:${proxy}` }, { ...get, ...hurry })
      const bodyOf = (url: string) => Effect.map(by(url), ({ body }) => Buffer.from(body).toString())
      expect(yield* bodyOf("http://receiver.test/a?b=c")).toBe("plain")
      expect(heads[0]).toContain("GET http://receiver.test/a?b=c HTTP/1.1")
      expect(heads[0]).toMatch(new RegExp(`proxy-authorization: Basic ${btoa("user:p@ss")}`, "i"))
      expect(yield* bodyOf("https://receiver.test/hook")).toBe("secure /hook")
      expect(heads[1]).toContain("CONNECT receiver.test:443 HTTP/1.1")
      expect((yield* Effect.flip(by("https://other.test/"))).reason).toBe(
        "the TLS certificate or handshake was not accepted"
      )
      expect((yield* Effect.flip(by("https://refused.test/"))).reason).toBe("the proxy did not let it through")
    })
  )

  it.scopedLive("hands back a redirect and does not follow it", () =>
    Effect.gen(function* () {
      let visits = 0
      const elsewhere = yield* http((_request, reply) => {
        visits++
        reply.end()
      })
      const port = yield* http((_request, reply) => {
        reply.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end()
      })
      const reply = yield* ask(`http://receiver.test:${port}/`)
      expect([reply.status, visits]).toEqual([302, 0])
    })
  )

  it.scopedLive("reads no more of an endless answer than it was told", () =>
    Effect.gen(function* () {
      let open = true
      const port = yield* raw((socket) => {
        socket.on("close", () => (open = false))
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        const more = () => open && socket.write("x".repeat(10_000), more)
        more()
      })
      const reply = yield* ask(`http://receiver.test:${port}/`, { maxBytes: 25_000 })
      expect([reply.body.length, reply.complete]).toEqual([25_000, false])
      while (open) yield* Effect.sleep("5 millis")
    })
  )

  it.scopedLive("gives up on servers that are slow to connect, to answer or to finish, and on what is not HTTP", () =>
    Effect.gen(function* () {
      const silent = yield* raw(() => {})
      expect(yield* reason(`https://receiver.test:${silent}/`, hurry)).toBe("no connection within 0.3 s")
      expect(yield* reason(`http://receiver.test:${silent}/`, hurry)).toBe("no answer within 0.6 s")
      const dripping = yield* raw((socket) => socket.write("HTTP/1.1 204 No Content\r\nx: "))
      expect(yield* reason(`http://receiver.test:${dripping}/`, hurry)).toBe("no answer within 0.6 s")
      const half = yield* raw((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"))
      expect(yield* ask(`http://receiver.test:${half}/`, hurry)).toMatchObject({ status: 200, complete: false })
      const shut = yield* raw((socket) => socket.destroy())
      expect(yield* reason(`http://receiver.test:${shut}/`)).toMatch(/^connection/)
      const babble = yield* raw((socket) => socket.end("SSH-2.0-OpenSSH_9\r\n"))
      expect(yield* reason(`http://receiver.test:${babble}/`)).toBe("the answer is not HTTP")
      const header = yield* raw((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(1_000_000)}`))
      expect(yield* reason(`http://receiver.test:${header}/`)).toBe("the answer is not HTTP")
      expect(yield* reason("http://receiver.test:1/")).toBe("connection refused")
    })
  )

  it.scopedLive("sends nothing after a suspension in which the time to connect passed", () =>
    Effect.gen(function* () {
      let requests = 0
      const port = yield* http((_request, reply) => {
        requests++
        reply.end("ok")
      })
      const asked = yield* Effect.fork(reason(`http://receiver.test:${port}/`))
      yield* Effect.yieldNow()
      const resumedAt = Date.now() + patience.connectTimeoutMs
      const clock = vi.spyOn(Date, "now").mockReturnValue(resumedAt)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      expect(yield* Fiber.join(asked)).toBe("no connection within 60 s")
      expect(requests).toBe(0)
    })
  )

  it.scopedLive("tries the next checked address when one does not connect", () =>
    Effect.gen(function* () {
      const port = yield* http((_request, reply) => reply.end("ok"))
      const reply = yield* ask(`http://receiver.test:${port}/`, {}, ["::1", "127.0.0.3", "127.0.0.1"])
      expect(reply.status).toBe(200)
    })
  )

  it.scopedLive("closes the connection of an interrupted request", () =>
    Effect.gen(function* () {
      let opened = () => {}
      let closed = () => {}
      const open = new Promise<void>((resolve) => (opened = resolve))
      const close = new Promise<void>((resolve) => (closed = resolve))
      const port = yield* raw((socket) => {
        opened()
        socket.on("data", () => {})
        socket.on("close", () => closed())
      })
      const fiber = yield* Effect.fork(ask(`http://receiver.test:${port}/`, { totalTimeoutMs: 60_000 }))
      yield* Effect.promise(() => open)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => close)
    })
  )
})
