import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { adminKey, endpoints, send } from "./adminClient.ts"

let gateway: GatewayProcess
let closed: GatewayProcess
let addresses = 0

const ask = (key: string) =>
  send(
    gateway.url,
    "POST",
    "/v1/messages",
    { authorization: `Bearer ${key}` },
    '{"model":"sandbox-text","max_tokens":9,"messages":"Hi"}'
  )

describeOnEach("the admin API", () => {
  beforeAll(async () => {
    // A gateway behind a proxy on this machine: whom a request is from is what `X-Forwarded-For` says.
    const folder = mkdtempSync(join(tmpdir(), "gateway-e2e-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      'server: { trusted_proxies: ["127.0.0.0/8", "::1"] }\nprices: { from: "http://127.0.0.1:9/prices.json" }\n'
    )
    const first = startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("open")) }, folder })
    closed = await startGateway({ env: await gatewayEnv("closed") })
    gateway = await first
  })

  afterAll(() => Promise.all([gateway.dispose(), closed.dispose()]))

  describe("the admin API's keys", () => {
    it.each(endpoints)("%s is not there without GATEWAY_ADMIN_KEY", async (_, method, path) => {
      const absent = await send(closed.url, method, path, { authorization: `Bearer ${adminKey}` })
      const nowhere = await send(closed.url, method, "/nowhere", {})
      expect([absent.status, nowhere.status]).toEqual([404, 404])
      const text = await absent.text()
      expect(JSON.parse(text)).toEqual({
        error: {
          code: "invalid_request_error",
          message: `Invalid URL (${method} ${path}): this gateway does not serve this API`,
          param: null,
          type: "invalid_request_error"
        }
      })
      expect(JSON.parse((await nowhere.text()).replace("/nowhere", path))).toEqual(JSON.parse(text))
    })

    it.each(endpoints)("%s opens to the operator's key alone", async (_, method, path) => {
      const refused = async (headers: Record<string, string>, message: string) => {
        // Each from an address of its own: too many wrong keys from one are told otherwise.
        const from = { ...headers, "x-forwarded-for": `203.0.${addresses >> 8}.${addresses++ & 255}` }
        const response = await send(gateway.url, method, path, from, method === "GET" ? undefined : "{")
        expect([response.status, await response.json()]).toEqual([
          401,
          {
            error: {
              code: "auth_invalid",
              message: expect.stringContaining(message),
              param: null,
              type: "authentication_error"
            }
          }
        ])
      }
      await refused({}, "Missing Authorization header")
      await refused({ authorization: adminKey }, "Malformed Authorization header")
      await refused({ authorization: `Bearer ${adminKey} x` }, "Malformed Authorization header")
      await refused({ authorization: `Bearer ${gateway.key}` }, "does not open the admin API")
      await refused({ authorization: `Bearer ${adminKey.slice(0, -1)}` }, "does not open the admin API")
      await refused({ "x-api-key": gateway.key }, "does not open the admin API")
      const body = method === "GET" ? undefined : "{}"
      const opened = await send(gateway.url, method, path, { authorization: `Bearer ${adminKey}` }, body)
      // There is no list of prices to fetch.
      expect(path === "/admin/v1/prices/refresh" ? [500] : [200, 400, 404]).toContain(opened.status)
    })

    it("looks at keys of an address more slowly after wrong ones, and always lets the right one in", async () => {
      const status = async (key: string, from: string) => {
        const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": from }
        const began = performance.now()
        const response = await send(gateway.url, "GET", "/admin/v1/keys", headers)
        return { status: response.status, ms: performance.now() - began }
      }
      // All of one /64, which is one caller's. A new minute may begin meanwhile.
      let slowest = 0
      for (let n = 0; n < 60 && slowest < 500; n++) {
        const wrong = await status(`wrong-${n}`, `2001:db8:1:2:${n}::1`)
        expect(wrong.status).toBe(401)
        slowest = wrong.ms
      }
      expect(slowest).toBeGreaterThanOrEqual(500)
      expect((await status(adminKey, "2001:db8:1:2::1")).status).toBe(200)
      expect((await status("wrong", "2001:db8:1:3::1")).status).toBe(401)
      // Entries before the address that the proxy added come from the client and are not trusted.
      const forged = await Promise.all(
        Array.from({ length: 9 }, (_, n) => status(`wrong-${n}`, "2001:db8:1:2::1, 203.0.113.77"))
      )
      expect(forged.map((one) => one.status)).toEqual(Array(9).fill(401))
    })

    it("opens nothing that callers have", async () => {
      expect((await ask(adminKey)).status).toBe(401)
      for (const path of ["/admin", "/admin/v1", "/admin/v1/nothing", "/admin/v2/keys"]) {
        const response = await send(gateway.url, "GET", path, {})
        expect([response.status, await response.json()]).toMatchObject([
          404,
          { error: { code: "invalid_request_error" } }
        ])
      }
    })

    it("has a document and a page of its own, where it is on", async () => {
      const document = (await (await fetch(`${gateway.url}/admin/openapi.json`)).json()) as {
        paths: Record<string, unknown>
      }
      const paths = Object.keys(document.paths).filter((path) => !path.startsWith("/console/"))
      expect(paths.every((path) => path.startsWith("/admin/v1/"))).toBe(true)
      expect(paths).toHaveLength(new Set(endpoints.map(([, , path]) => path)).size)
      const callers = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, unknown> }
      expect(Object.keys(callers.paths).some((path) => path.startsWith("/admin"))).toBe(false)
      expect((await fetch(`${gateway.url}/admin/docs`)).status).toBe(200)
      expect((await fetch(`${closed.url}/admin/openapi.json`)).status).toBe(404)
      expect((await fetch(`${closed.url}/admin/docs`)).status).toBe(404)
    })

    it("stops the start where it opens anything else", async () => {
      const env = { GATEWAY_ADMIN_KEY: adminKey }
      await expect(startGateway({ env: { ...env, GATEWAY_BOOTSTRAP_KEY: adminKey } })).rejects.toThrow(
        "GATEWAY_BOOTSTRAP_KEY: is GATEWAY_ADMIN_KEY too"
      )
      const declared = mkdtempSync(join(tmpdir(), "gateway-e2e-"))
      writeFileSync(join(declared, "gateway.yaml"), `keys: [{ name: ci, secret: ${adminKey} }]\n`)
      await expect(startGateway({ env, folder: declared })).rejects.toThrow("keys[0].secret: is GATEWAY_ADMIN_KEY too")
      // A key that was made before, under whatever name.
      const earlier = mkdtempSync(join(tmpdir(), "gateway-e2e-"))
      const before = await startGateway({ env: { GATEWAY_BOOTSTRAP_KEY: adminKey }, folder: earlier })
      before.signal("SIGTERM")
      await before.exited
      await expect(startGateway({ env, folder: earlier })).rejects.toThrow("GATEWAY_ADMIN_KEY: is also an API key")
    })

    it("stops the start where it is short", async () => {
      await expect(startGateway({ env: { GATEWAY_ADMIN_KEY: "short" } })).rejects.toThrow(
        "GATEWAY_ADMIN_KEY: expected 24 characters or more"
      )
    })
  })
})
