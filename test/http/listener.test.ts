import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readCertificate } from "../../src/http/Certificate.ts"
import { Listener } from "../../src/http/Listener.ts"
import type { Listen } from "../../src/http/Listener.ts"

const pem = (name: string) => readFileSync(resolve(import.meta.dirname, "certificates", name), "utf8")
const pair = (name: string) => ({ cert: pem(`${name}.crt`), key: pem(`${name}.key`), endsAtMs: 0 })

/** A whole certificate, and behind it one that is none. */
const brokenChain = `${pem("second.crt")}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`

const listen: Listen = (port, shown) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port,
    reusePort: false,
    tls: { cert: shown?.cert ?? "", key: shown?.key ?? "" },
    routes: { "/": () => new Response("here") },
    websocket: { message: () => {} }
  })

describe("an address that is listened on", () => {
  it("is still listened on if the next certificate is unusable, and shows the one after it", async () => {
    const listener = new Listener(listen, 0, pair("first"))
    const { href } = listener.url
    const shown = (ca: string) =>
      fetch(href, { keepalive: false, tls: { ca: pem(ca), checkServerIdentity: () => undefined } }).then((answer) =>
        answer.text()
      )
    try {
      expect(await shown("first.crt")).toBe("here")
      expect(() => listener.renew({ ...pair("second"), cert: brokenChain })).toThrow()
      expect(await shown("first.crt")).toBe("here")
      listener.renew(pair("second"))
      expect(listener.url.href).toBe(href)
      expect(await shown("second.crt")).toBe("here")
    } finally {
      await listener.stop()
    }
  })

  it("refuses connections while it is paused, and goes on with requests that are under way", async () => {
    const answer = Promise.withResolvers<Response>()
    const came = Promise.withResolvers<void>()
    const plain: Listen = (port) =>
      Bun.serve({
        hostname: "127.0.0.1",
        port,
        routes: { "/": () => new Response("here"), "/slow": () => (came.resolve(), answer.promise) },
        websocket: { message: () => {} }
      })
    const listener = new Listener(plain, 0, undefined)
    const { href } = listener.url
    try {
      const slow = fetch(`${href}slow`)
      await came.promise
      listener.pause()
      listener.pause()
      expect([listener.isPaused, listener.pendingRequests, listener.url.href]).toEqual([true, 1, href])
      await expect(fetch(href, { keepalive: false })).rejects.toThrow()
      answer.resolve(new Response("slow"))
      expect(await (await slow).text()).toBe("slow")
      listener.resume()
      listener.resume()
      expect(await (await fetch(href)).text()).toBe("here")
    } finally {
      await listener.stop()
    }
  })

  it("is not given a chain that can't be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-chain-"))
    const files = { cert: join(folder, "chain.crt"), key: join(folder, "chain.key") }
    writeFileSync(files.cert, brokenChain)
    writeFileSync(files.key, pem("second.key"))
    const refused = await Effect.runPromise(Effect.flip(readCertificate(files)))
    expect(refused.message).toBe(`server.tls.cert: ${files.cert} holds a chain that can't be read`)
  })
})
