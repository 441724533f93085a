import { mkdtempSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { adminEndpoints, adminPages, publicEndpoints } from "./apart.ts"
import type { Place } from "./apart.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

let apart: GatewayHere
let whole: GatewayHere

const env = { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_METRICS: "true" }

beforeAll(async () => {
  ;[apart, whole] = await Promise.all([
    startGateway({ env: { ...env, GATEWAY_ADMIN_PORT: "0" } }),
    startGateway({ env })
  ])
})
afterAll(() => Promise.all([apart.dispose(), whole.dispose()]))

/** They are there while people sign in by a provider. */
const pagesOfPeople = ["/console/device", "/console/consent", "/console/tools", "/console/tools/x", "/device"].map(
  (path) => ({ method: "GET", path })
)

const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json", accept: "text/html" }

const send = (url: string, { method, path }: Place) =>
  fetch(url + path, { method, redirect: "manual", headers, ...(method === "GET" ? {} : { body: "{}" }) })

/** What an answer tells, without what differs from request to request. */
const told = async (answer: Response, path: string) => ({
  status: answer.status,
  names: [...answer.headers.keys()].filter((name) => !["content-length", "date"].includes(name)).toSorted(),
  body: (await answer.text()).replaceAll(path, "PATH").replaceAll(/req_\w+/g, "ID")
})

/** True for the answer to a path that nothing is at. */
const isUnknown = async (answer: Response) =>
  answer.status === 404 && /Invalid URL|no such path/i.test(await answer.text())

describe("with an address of its own for operators, the public one", () => {
  it("answers each of their endpoints and pages as a path that nothing is at", async () => {
    expect(adminEndpoints.length).toBeGreaterThan(45)
    for (const place of [...adminEndpoints, ...adminPages, ...pagesOfPeople, { method: "GET", path: "/" }]) {
      const nothing = `/${"x".repeat(place.path.length)}`
      const [here, elsewhere] = await Promise.all([
        send(apart.url, place),
        send(apart.url, { ...place, path: nothing })
      ])
      const expected = await told(elsewhere, nothing)
      expect(expected.status).toBe(404)
      expect([place, await told(here, place.path)]).toEqual([place, expected])
    }
  })

  it("has every other endpoint", async () => {
    for (const place of publicEndpoints) {
      const [here, before] = await Promise.all([send(apart.url, place), send(whole.url, place)])
      expect([place, here.status]).toEqual([place, before.status])
      expect([place, await isUnknown(here)]).toEqual([place, false])
    }
  })

  it.each([
    "//admin/v1/keys",
    "/./admin/v1/keys",
    "/x/../admin/v1/keys",
    "/admin//v1/keys",
    "/%61dmin/v1/keys",
    "/admin%2fv1%2fkeys",
    "/admin/v1/keys/",
    "/ADMIN/v1/keys",
    "/admin/v1/keys%00",
    "/admin/v1/keys;x",
    "/v1/admin/v1/keys",
    "/v1/v1/admin/v1/keys",
    "/metrics/",
    "/%6detrics",
    "//metrics",
    "/console%2f",
    "/%63onsole",
    "/console/../admin/v1/keys",
    "/console/device/../keys",
    "http://127.0.0.1:1/admin/v1/keys",
    "http://admin/metrics",
    "/device/../metrics"
  ])("has nothing of them at %s, whatever Host says", async (target) => {
    const adminHost = new URL(apart.adminUrl).host
    for (const host of [adminHost, "localhost", new URL(apart.url).host]) {
      for (const more of [
        "",
        `X-Forwarded-Host: ${adminHost}\r\nX-Original-URL: /admin/v1/keys\r\nX-Rewrite-URL: /metrics\r\n`
      ]) {
        const answer = await raw(
          apart.url,
          `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${adminKey}\r\n${more}Connection: close\r\n\r\n`
        )
        expect([target, host, /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]]).toEqual([target, host, "404"])
        expect(answer).not.toContain("gateway_requests_total")
      }
    }
  })

  it.each(["HEAD", "OPTIONS", "PUT", "TRACE", "PROPFIND"])("answers %s for them as for any path", async (method) => {
    for (const path of ["/admin/v1/keys", "/metrics", "/console", "/admin/docs"]) {
      const line = (at: string) =>
        `${method} ${at} HTTP/1.1\r\nHost: a\r\nOrigin: https://app.test\r\nConnection: close\r\n\r\n`
      const [here, nothing] = await Promise.all([raw(apart.url, line(path)), raw(apart.url, line("/nothing"))])
      expect(shape(here, path)).toBe(shape(nothing, "/nothing"))
    }
  })

  it("upgrades no connection there", async () => {
    for (const path of ["/admin/v1/events", "/console", "/metrics"]) {
      const answer = await raw(
        apart.url,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminKey}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
      )
      expect(answer).toMatch(/^HTTP\/1\.1 404/)
    }
  })

  it("refuses the admin key where an API key is asked for", async () => {
    const answer = await fetch(`${apart.url}/v1/models`, { headers })
    expect(answer.status).toBe(401)
  })
})

describe("the address for operators", () => {
  it("has every endpoint and page", async () => {
    for (const place of [...adminEndpoints, ...publicEndpoints, ...adminPages]) {
      const [here, before] = await Promise.all([send(apart.adminUrl, place), send(whole.url, place)])
      expect([place, here.status]).toEqual([place, before.status])
      void here.body?.cancel()
      void before.body?.cancel()
    }
    expect((await fetch(apart.adminUrl, { headers, redirect: "manual" })).headers.get("location")).toBe("/console")
  })

  it("serves models to API keys", async () => {
    const answer = await fetch(`${apart.adminUrl}/v1/models`, { headers: { authorization: `Bearer ${apart.key}` } })
    expect(answer.status).toBe(200)
  })

  it("is not called by pages of other origins", async () => {
    const gateway = await startGateway({
      env: { ...env, GATEWAY_ADMIN_PORT: "0", GATEWAY_CONFIG: "cors.yaml" },
      folder: withFile("cors.yaml", 'server: { cors_origins: ["*"] }\n')
    })
    const asked = (url: string) =>
      fetch(`${url}/v1/models`, {
        method: "OPTIONS",
        headers: { origin: "https://app.test", "access-control-request-method": "GET" }
      })
    expect((await asked(gateway.url)).headers.get("access-control-allow-origin")).toBe("*")
    expect((await asked(gateway.adminUrl)).headers.get("access-control-allow-origin")).toBeNull()
    await gateway.dispose()
  })
})

describe("without an address of its own for operators", () => {
  it("everything is at one", () => {
    expect(whole.adminUrl).toBe(whole.url)
  })
})

const withFile = (name: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-apart-"))
  writeFileSync(join(folder, name), text)
  return folder
}

/** The whole answer to the bytes of a request. */
const raw = (url: string, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let answer = ""
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on("data", (bytes) => (answer += bytes.toString()))
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })

/** An answer without what differs from request to request. */
const shape = (answer: string, path: string) =>
  answer
    .replaceAll(path, "PATH")
    .replaceAll(/req_\w+/g, "ID")
    .replaceAll(/^(date|content-length):.*$/gim, "")
