import { connect } from "node:net"
import type { Socket } from "node:net"
import { readlinkSync, readdirSync } from "node:fs"
import { afterEach, describe, expect, it } from "@effect/vitest"
import { Listener } from "../../src/http/Listener.ts"
import type { Listen } from "../../src/http/Listener.ts"

const isLinux = process.platform === "linux"
if (!isLinux) console.log("skipped: test/http/leaving.test.ts, only Linux shows the socket that listens")

const listeners: Array<Listener> = []
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.stop())))

const listening = (hostname: string) => {
  const listen: Listen = (port) =>
    Bun.serve({ hostname, port, fetch: () => new Response("heard"), websocket: { message: () => {} } })
  const listener = new Listener(listen, 0, undefined)
  listeners.push(listener)
  return { listener, port: Number(listener.url.port) }
}

const connected = (host: string, port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket))
    socket.once("error", reject)
  })

const asked = (socket: Socket) =>
  new Promise<string>((resolve, reject) => {
    socket.once("data", (data: Buffer) => resolve(data.toString().split("\r\n", 1)[0] ?? ""))
    socket.once("close", () => reject(new Error("closed without an answer")))
    socket.once("error", reject)
    socket.write("GET / HTTP/1.1\r\nhost: gateway\r\n\r\n")
  })

describe.each(["127.0.0.1", "::1"])("a listener on %s", (host) => {
  it.skipIf(!isLinux)("that is left hears who had connected, when nobody can connect any more", async () => {
    const { listener, port } = listening(host)
    const before = await connected(host, port)
    expect(await asked(before)).toBe("HTTP/1.1 200 OK")
    listener.leave()
    const silent = await connected(host, port)
    await listener.close(false)
    await expect(connected(host, port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
    expect(await asked(silent)).toBe("HTTP/1.1 200 OK")
    expect(await asked(before)).toBe("HTTP/1.1 200 OK")
    const ended = new Promise((resolve) => before.once("close", resolve))
    listener.hangUp()
    // Whoever keeps a connection for later finds it closed, and no answer of a node that serves no more.
    await ended
  })

  it.skipIf(!isLinux)("has nobody wait where others listen on the same port", async () => {
    const { listener, port } = listening(host)
    listener.leave()
    const closed = listener.close(true)
    const begun = performance.now()
    await connected(host, port).catch(() => {})
    expect(performance.now() - begun).toBeLessThan(900)
    await closed
  })

  it.skipIf(!isLinux)("never closes another's socket of the same port", async () => {
    const other = host === "::1" ? "127.0.0.1" : "127.0.0.2"
    const { listener, port } = listening(host)
    const second = Bun.serve({ hostname: other, port, fetch: () => new Response("other") })
    listener.leave()
    await listener.close(false)
    await expect(connected(host, port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
    expect(await asked(await connected(other, port))).toBe("HTTP/1.1 200 OK")
    await second.stop(true)
  })

  it.skipIf(!isLinux)("refuses, a second later, who connects in the very moment", async () => {
    const { listener, port } = listening(host)
    listener.leave()
    const closed = listener.close(false)
    await expect(connected(host, port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
    await closed
  })

  it.skipIf(!isLinux)("leaves no descriptor behind when it is stopped", async () => {
    const links = () =>
      readdirSync("/proc/self/fd").flatMap((name) => {
        try {
          return [readlinkSync(`/proc/self/fd/${name}`)].filter((link) => link === "/dev/null")
        } catch {
          return []
        }
      }).length
    const before = links()
    const { listener } = listening(host)
    listener.leave()
    await listener.close(false)
    await listener.stop()
    expect(links()).toBe(before)
  })
})
