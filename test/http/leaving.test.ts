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
    await listener.close()
    await expect(connected(host, port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
    expect(await asked(silent)).toBe("HTTP/1.1 200 OK")
    expect(await asked(before)).toBe("HTTP/1.1 200 OK")
  })

  it.skipIf(!isLinux)("refuses, a second later, who connects in the very moment", async () => {
    const { listener, port } = listening(host)
    listener.leave()
    const closed = listener.close()
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
    await listener.close()
    await listener.stop()
    expect(links()).toBe(before)
  })
})
