import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { runCommand } from "../e2e/command.ts"
import { startGateway, testKey } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { KeepingClient } from "../cluster/workers/keepingClient.ts"
import { belowPath, nginx, shipped, startNginx } from "./nginx.ts"
import { freePort } from "../freePort.ts"

if (nginx === undefined) console.log("skipped: test/deploy/nginx.test.ts, there is no nginx here")

const certificates = resolve(import.meta.dirname, "../http/certificates")

describe.skipIf(nginx === undefined)("the gateway behind nginx, as deploy/nginx.conf has it", () => {
  let gateway: GatewayProcess
  let proxy: ReturnType<typeof Bun.spawn>
  let url: string
  const folder = mkdtempSync(join(tmpdir(), "gateway-nginx-"))

  beforeAll(async () => {
    gateway = await startGateway({
      env: { GATEWAY_ADMIN_KEY: "admin-key-0123456789abcdefghijklmnop" }
    })
    const port = freePort()
    const server = shipped
      .replace("127.0.0.1:8080", new URL(gateway.url).host)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("/etc/ssl/gateway/chain.pem", join(certificates, "first.crt"))
      .replace("/etc/ssl/gateway/key.pem", join(certificates, "first.key"))
    proxy = startNginx(folder, server)
    url = `https://127.0.0.1:${port}`
    while (
      !(await ask("/healthz").then(
        ({ ok }) => ok,
        () => false
      ))
    )
      await Bun.sleep(20)
  })
  afterAll(async () => {
    proxy.kill()
    await proxy.exited
    await gateway.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  const tls = { ca: readFileSync(join(certificates, "first.crt"), "utf8") }
  const ask = (path: string, body?: object) =>
    fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      tls
    })

  it("lets the events of a stream through as they come", async () => {
    const response = await ask("/v1/messages", {
      model: "sandbox-text",
      max_tokens: 100,
      stream: true,
      messages: "[[sandbox: pace=300ms]] Say five words or more."
    })
    const arrivals: Array<string> = []
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      arrivals.push(decoder.decode(chunk, { stream: true }))
    }
    const text = arrivals.join("")
    expect(text).toContain("message_stop")
    // Buffered, it would come in one piece or two; the gateway asks for none too (`x-accel-buffering`).
    expect(arrivals.length).toBeGreaterThan(3)
    expect(arrivals[0]).not.toContain("message_stop")
  })

  it("lets the gateway refuse what is too large, in the shape of its family", async () => {
    const refused = await ask("/v1/messages", {
      model: "sandbox-text",
      max_tokens: 10,
      messages: "x".repeat(40 * 1024 * 1024)
    })
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "request_too_large" } })
  })

  it("lets sockets through", async () => {
    const socket = new WebSocket(`${url.replace("https", "wss")}/v1/responses`, {
      headers: { authorization: `Bearer ${gateway.key}` },
      tls
    } as never)
    const heard: Array<string> = []
    const ended = Promise.withResolvers<void>()
    socket.addEventListener("open", () =>
      socket.send(JSON.stringify({ type: "response.create", model: "sandbox-text", input: "Hello!" }))
    )
    socket.addEventListener("message", ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string }
      heard.push(type)
      if (type === "response.completed" || type === "error") ended.resolve()
    })
    socket.addEventListener("error", () => ended.reject(new Error("the socket failed")))
    await ended.promise
    socket.close()
    expect(heard.at(-1)).toBe("response.completed")
  })
})

describe.skipIf(nginx === undefined)("the gateway below a path of nginx, as docs/deployment.md has it", () => {
  it("begins its pages, links, redirects and cookie with the path", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-nginx-path-"))
    const port = freePort()
    const publicUrl = `http://127.0.0.1:${port}/gw`
    const adminKey = "admin-key-0123456789abcdefghijklmnop"
    const env = { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_PUBLIC_URL: publicUrl }
    const gateway = await startGateway({ env })
    const proxy = startNginx(folder, belowPath("/gw", gateway.url, port))
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(publicUrl + path, { headers, redirect: "manual" })
    const isUp = () =>
      get("/readyz").then(
        ({ ok }) => ok,
        () => false
      )
    try {
      await expect.poll(isUp).toBe(true)
      const root = await get("/", { accept: "text/html" })
      expect([root.status, root.headers.get("location")]).toEqual([302, "/gw/console"])
      const html = await (await get("/console/requests/req_1")).text()
      const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address)
      expect(addresses.length).toBeGreaterThanOrEqual(3)
      for (const address of addresses) {
        expect(address).toMatch(/^\/gw\/console\/assets\//)
        expect((await get(address.slice("/gw".length))).status).toBe(200)
      }
      expect(html).toContain('<meta name="base-path" content="/gw"')

      const opened = await fetch(`${publicUrl}/console/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key: adminKey })
      })
      const cookie = opened.headers.get("set-cookie") ?? ""
      expect(cookie).toMatch(/^gateway_session=.{43}; HttpOnly; SameSite=Strict; Path=\/gw; /)
      expect((await get("/admin/v1/keys", { cookie: cookie.split(";")[0] ?? "" })).status).toBe(200)

      expect(await (await get("/openapi.json")).json()).toMatchObject({ servers: [{ url: "/gw" }] })
      const docs = await (await get("/admin/docs")).text()
      const links = [...docs.matchAll(/href="([^"]+)"/g)].map(([, address = ""]) => address)
      expect(links.filter((address) => !address.startsWith("/gw/admin/"))).toEqual([])
      // As it came, with what is escaped in it.
      const missing = await get("/v1/models/a%2Fb", { authorization: `Bearer ${gateway.key}` })
      expect(await missing.text()).toContain("a/b")
      const { out } = await runCommand(gateway.folder, ["sessions", "link"], env)
      expect(out).toContain(`${publicUrl}/console#link=`)
    } finally {
      proxy.kill()
      await proxy.exited
      await gateway.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe.skipIf(nginx === undefined)("two gateways behind nginx", () => {
  it("are restarted one after the other, unnoticed by clients that ask once more after a 502", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-nginx-two-"))
    // Longer than nginx leaves one alone that it could not reach, or the other would leave before it is asked again.
    const env = { GATEWAY_LEAVE_SECONDS: "3", GATEWAY_DRAIN_SECONDS: "600" }
    const nodes = await Promise.all([startGateway({ env }), startGateway({ env })])
    const port = freePort()
    const upstreams = nodes.map(({ url }) => `server ${new URL(url).host} max_fails=1 fail_timeout=1s;`)
    const server = shipped
      .replace("server 127.0.0.1:8080;", `zone gateway 64k; ${upstreams.join(" ")}`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
      .replaceAll(/ssl_certificate.*\n/g, "\n")
    const proxy = startNginx(folder, server)
    const body = JSON.stringify({ model: "sandbox-text", max_tokens: 9, messages: "Hi" })
    const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" }
    const clients = Array.from({ length: 6 }, () => new KeepingClient(port, "/v1/messages", headers, body, true))
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
    try {
      await expect.poll(isUp).toBe(true)
      const ends = Promise.all(clients.map((client) => client.run()))
      const answers = () => clients.reduce((sum, { seen }) => sum + seen.answers, 0)
      for (const [index, node] of nodes.entries()) {
        const before = answers()
        await expect.poll(answers).toBeGreaterThan(before + 50)
        node.signal("SIGTERM")
        expect(await node.exited).toBe(0)
        const again = { ...env, GATEWAY_PORT: new URL(node.url).port }
        nodes[index] = await startGateway({ folder: node.folder, env: again })
      }
      for (const client of clients) client.stop()
      const seen = await ends
      expect(seen.flatMap(({ failures }) => failures)).toEqual([])
      // Closing a listener resets the connections that are on their way: at most one of each client, at each restart.
      expect(Math.max(...seen.map(({ askedAgain }) => askedAgain))).toBeLessThanOrEqual(nodes.length)
    } finally {
      for (const client of clients) client.stop()
      proxy.kill()
      await proxy.exited
      await Promise.all(nodes.map((node) => node.dispose()))
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
