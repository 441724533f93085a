import { createServer, connect } from "node:net"
import type { Socket } from "node:net"
import { afterEach, describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { callUpstream } from "../../src/upstreams/calls/client.ts"
import { hintOf } from "../../src/upstreams/calls/hintOf.ts"

/** A forward proxy: `forward` connects, `refuse` answers 403, `hang` says nothing. */
const startProxy = async (how: "forward" | "refuse" | "hang") => {
  const heads: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", (first) => {
      const head = first.toString("latin1")
      heads.push(head)
      if (how === "hang") return
      if (how === "refuse") {
        socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
        return
      }
      const target = new URL(head.split(" ")[1] ?? "")
      const onward = connect(Number(target.port), target.hostname, () => onward.write(first))
      onward.on("error", () => socket.destroy())
      socket.on("close", () => onward.destroy())
      onward.on("close", () => socket.end())
      socket.pipe(onward).pipe(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const at = server.address()
  const port = typeof at === "object" && at !== null ? at.port : 0
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    return Promise.resolve()
  })
  return { url: `http://user:p%40ss@127.0.0.1:${port}`, heads }
}

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Sends a chunk, then waits for the caller to leave. */
const startUpstream = () => {
  const left = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    fetch: (request) => {
      request.signal.addEventListener("abort", () => left.resolve())
      return new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
          cancel: () => left.resolve()
        })
      )
    }
  })
  closing.push(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/v1`, left: left.promise }
}

const deadlines = { connectMs: 500, firstByteMs: 1_000, idleMs: 500 }
const call = (url: string, proxy: string) => callUpstream({ url, headers: {}, body: "{}", deadlines, proxy })
const failure = (url: string, proxy: string) =>
  Effect.runPromise(Effect.either(call(url, proxy))).then((answer) => {
    if (Either.isRight(answer)) throw new Error("it answered")
    const { neverSent, said } = answer.left
    return { neverSent, said, hint: hintOf("up", answer.left) }
  })

describe("a call by a proxy", () => {
  it("streams, with the proxy's credentials, and a hang-up reaches the upstream", async () => {
    const [proxy, upstream] = [await startProxy("forward"), startUpstream()]
    const exchange = await Effect.runPromise(call(upstream.url, proxy.url))
    expect(new TextDecoder().decode(await exchange.read())).toBe("data: 1\n\n")
    expect(proxy.heads[0]).toContain(`POST ${upstream.url} HTTP/1.1`)
    expect(proxy.heads[0]).toContain(`Proxy-Authorization: Basic ${btoa("user:p@ss")}`)
    exchange.cancel()
    await upstream.left
  })

  it("times out between two chunks", async () => {
    const exchange = await Effect.runPromise(call(startUpstream().url, (await startProxy("forward")).url))
    await exchange.read()
    await expect(exchange.read()).rejects.toThrow("The model's upstream went silent")
  })

  it.each(["http", "https"])("is given up where the proxy says nothing (%s)", async (scheme) => {
    const proxy = await startProxy("hang")
    expect(await failure(`${scheme}://far.example.com/v1`, proxy.url)).toMatchObject({ said: undefined })
  })

  it("was never sent where the proxy is down or refuses the tunnel, and says so", async () => {
    const hint = "upstreams.up.proxy, otherwise HTTPS_PROXY or HTTP_PROXY, names a proxy that lets no call through"
    const down = await failure("https://far.example.com/v1", "http://user:planted@127.0.0.1:1")
    expect(down).toEqual({
      neverSent: true,
      said: expect.stringMatching(/^proxy http:\/\/127\.0\.0\.1:1: (?:ECONNREFUSED|ConnectionRefused)$/),
      hint
    })
    const proxy = await startProxy("refuse")
    const refused = await failure("https://far.example.com/v1", proxy.url)
    expect(refused).toMatchObject({ neverSent: true, hint })
    expect(refused.said).toMatch(/^proxy http:\/\/127\.0\.0\.1:\d+: .*403/)
  })
})
