import { afterAll, expect, it } from "@effect/vitest"
import { connect } from "node:net"

/** Bun alone, with nothing of the gateway's: its answer takes a moment. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async () => {
    await Bun.sleep(20)
    return new Response("answered")
  }
})
afterAll(() => server.stop(true))

/** Bytes read from a connection until it closes or all answers are there. */
const exchanged = (requests: number) =>
  new Promise<string>((resolve) => {
    const socket = connect(server.port ?? 0, "127.0.0.1")
    let text = ""
    socket.on("data", (bytes) => {
      text += String(bytes)
      if (text.split("answered").length > requests) socket.destroy()
    })
    socket.on("close", () => resolve(text))
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(requests))
  })

it("one request on a connection is answered", async () => {
  expect(await exchanged(1)).toContain("answered")
})

// docs/limits.md says so. Where this fails, Bun has learnt it: take the line out there.
it("Bun closes a connection on a second request that does not wait for the first one's answer", async () => {
  expect(await exchanged(2)).toBe("")
})
