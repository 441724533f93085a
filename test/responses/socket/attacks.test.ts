import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { runCommand } from "../../e2e/command.ts"
import { startGateway, testKey } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { connect } from "./connect.ts"
import { frame, opcodes, rawSocket } from "./raw.ts"
import { request } from "../../request.ts"

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const asking = (body: object) => JSON.stringify({ type: "response.create", model: "sandbox-text", ...body })
const mega = 1024 * 1024

/** The code of the frame with which the gateway closed the connection; nothing follows it. */
const closeCode = (bytes: Buffer) => bytes.readUInt16BE(bytes.lastIndexOf(0x88) + 2)

describe("a socket whose client breaks the protocol", () => {
  it.each([
    ["says that a message is too long", 1009, [frame("x", { length: 2 * mega })]],
    ["sends too long a message", 1009, [frame(Buffer.alloc(2 * mega, 120))]],
    [
      "sends one that is too long in pieces",
      1009,
      [frame(Buffer.alloc(mega, 120), { isLast: false }), frame(Buffer.alloc(mega), { opcode: 0 })]
    ],
    ["compresses without agreement", 1002, [frame("x", { isCompressed: true })]],
    ["sends a frame of no kind", 1002, [frame("x", { opcode: 5 })]],
    ["sends text that is none", 1007, [frame(Buffer.from([0xff, 0xfe]))]]
  ])("%s: closed with %d", async (_, code, frames) => {
    const { closed, read, write } = await rawSocket(gateway.url, testKey)
    for (const one of frames) write(one)
    await closed
    expect(closeCode(read())).toBe(code)
  })

  it("is refused bytes, JSON that is none or too deep, and goes on", async () => {
    const { read, socket, until, write } = await rawSocket(gateway.url, testKey)
    const refusals = () => read().toString("latin1").split('"type":"error"').length - 1
    for (const [index, one] of [
      frame(asking({ input: "Hello!" }), { opcode: opcodes.binary }),
      frame("["),
      frame("[".repeat(mega)),
      frame(asking({ input: "x".repeat(1.9 * mega) }))
    ].entries()) {
      write(one)
      await until(() => refusals() === index + 1)
    }
    const text = asking({ input: "Hello!" })
    write(frame(text.slice(0, 20), { isLast: false }))
    write(frame("?", { opcode: opcodes.ping }))
    write(frame(text.slice(20), { opcode: opcodes.continuation }))
    await until((bytes) => bytes.includes('"type":"response.completed"'))
    socket.destroy()
  })
})

describe("sockets of one key", () => {
  it("are sixteen at a time, and a 429 says so", async () => {
    const url = `${gateway.url}/v1/responses`
    const headers = { authorization: `Bearer ${testKey}`, upgrade: "websocket" }
    const open = await Promise.all(Array.from({ length: 16 }, () => connect(gateway.url, testKey)))
    const refused = await fetch(url, { headers })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({
      error: { type: "rate_limit_error", message: expect.stringContaining("16 WebSockets open") }
    })
    for (const { closed, ws } of open) {
      ws.close()
      await closed
    }
    await expect.poll(async () => (await fetch(url, { headers })).status).not.toBe(429)
    const again = await connect(gateway.url, testKey)
    expect(await again.ask({ input: "Hello!" })).toMatchObject({ type: "response.completed" })
    again.ws.close()
  })

  it("leave room for other keys, until 256 are open", async () => {
    const created = await runCommand(gateway.folder, ["keys", "create", "other", "--json"])
    const secrets = [testKey, created.json<{ readonly secret: string }>().secret]
    for (let more = 0; more < 15; more++) {
      const one = await runCommand(gateway.folder, ["keys", "create", `other-${more}`, "--json"])
      secrets.push(one.json<{ readonly secret: string }>().secret)
    }
    const [last = "", ...others] = secrets.reverse()
    const open = await Promise.all(
      others.flatMap((secret) => Array.from({ length: 16 }, () => rawSocket(gateway.url, secret)))
    )
    expect(open).toHaveLength(256)
    expect(open.every(({ read }) => read().includes("101 Switching"))).toBe(true)
    const refused = await request(gateway, "/v1/responses", { key: last, headers: { upgrade: "websocket" } })
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain("256 WebSockets open")
    for (const { closed, socket } of open) {
      socket.destroy()
      await closed
    }
  })
})

describe("a socket whose key is revoked", () => {
  it("is refused every message from then on, as a request would be", async () => {
    const created = await runCommand(gateway.folder, ["keys", "create", "leaver", "--json"])
    const { key, secret } = created.json<{ readonly key: { readonly id: string }; readonly secret: string }>()
    const { ask, ws } = await connect(gateway.url, secret)
    expect(await ask({ input: "Hello!" })).toMatchObject({ type: "response.completed" })
    expect((await runCommand(gateway.folder, ["keys", "revoke", key.id])).code).toBe(0)
    let last = await ask({ input: "Hello!" })
    // Another process revoked it: this one hears of it soon.
    while (last.type === "response.completed") last = await ask({ input: "Hello!" })
    expect(last).toMatchObject({ type: "error", status: 401, error: { code: "auth_invalid" } })
    ws.close()
  })
})

describe("sockets when the gateway stops", () => {
  it("don't block the stop if they answer nothing or open late", async () => {
    const stopping = await startGateway()
    try {
      const dead = await Promise.all(Array.from({ length: 16 }, () => rawSocket(stopping.url, testKey)))
      stopping.signal("SIGTERM")
      expect(await stopping.exited).toBe(0)
      for (const { closed, read } of dead) {
        await closed
        expect(closeCode(read())).toBe(1001)
      }
    } finally {
      await stopping.dispose()
    }
  })
})
