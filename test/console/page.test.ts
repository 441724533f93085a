import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { unpackPage } from "../../src/console/PagePack.ts"
import { packPage } from "../../src/console/packPage.ts"
import { hasConsole } from "../e2e/consolePage.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers, redirect: "manual", decompress: false })

const assetsOf = (html: string) => [...html.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)

describe("the console's page", () => {
  it("is at /console and at every path below it", async () => {
    const page = await (await get("/console")).text()
    expect(page).toContain("<title>Model Gateway</title>")
    for (const path of ["/console/", "/console/requests/req_1", "/console/keys?x=1"]) {
      expect(await (await get(path)).text()).toBe(page)
    }
  })

  it("runs nothing inline and loads nothing from elsewhere", async () => {
    const answer = await get("/console")
    const policy = answer.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    const html = await answer.text()
    expect(html).not.toMatch(/<style|<script(?![^>]* src=")|\son\w+=|(?:src|href)="(?!\/)/)
    expect(assetsOf(html).length).toBeGreaterThanOrEqual(2)
  })

  it("is asked for again each time, its scripts and styles never", async () => {
    const answer = await get("/console")
    expect(answer.headers.get("cache-control")).toBe("no-cache")
    const etag = answer.headers.get("etag") ?? ""
    const again = await get("/console", { "if-none-match": `"another", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ""])
    for (const path of assetsOf(await answer.text())) {
      const asset = await get(path)
      expect(asset.status).toBe(200)
      expect(asset.headers.get("content-type")).toMatch(/^(text\/(javascript|css)|image\/svg)/)
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(asset.headers.get("x-content-type-options")).toBe("nosniff")
    }
    expect((await get("/console/assets/index-00000000.js")).status).toBe(404)
    expect((await get("/console/assets/../../etc/passwd")).status).toBe(404)
  })

  it("is compressed as the client takes it", async () => {
    const plain = await (await get("/console", { "accept-encoding": "identity" })).text()
    const as = async (accepted: string) => {
      const answer = await get("/console", { "accept-encoding": accepted })
      expect(answer.headers.get("vary")).toBe("accept-encoding")
      return [answer.headers.get("content-encoding"), Buffer.from(await answer.arrayBuffer())] as const
    }
    const [br, brBytes] = await as("gzip, deflate, br")
    expect([br, brotliDecompressSync(brBytes).toString()]).toEqual(["br", plain])
    const [gzip, gzipBytes] = await as("gzip, br;q=0")
    expect([gzip, gunzipSync(gzipBytes).toString()]).toEqual(["gzip", plain])
    expect((await as(""))[0]).toBeNull()
    expect(brBytes.length).toBeLessThan(plain.length)
  })

  it("is where / leads a browser, and no other client", async () => {
    const browser = await get("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "/console"])
    const client = await get("/", { accept: "*/*" })
    expect(client.status).toBe(404)
    expect(await client.json()).toHaveProperty(
      "error.message",
      "Invalid URL (GET /): this gateway does not serve this API"
    )
  })
})

describe("the console's page, from sources", () => {
  it("is built when it is asked for", async () => {
    const sources = await startGateway({ command: [process.execPath, resolve("src/main.ts"), "serve"] })
    try {
      expect(await hasConsole(sources.url)).toBe(true)
    } finally {
      await sources.dispose()
    }
  })
})

describe("a pack", () => {
  it("has every file, which is read from where it lies", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-pack-"))
    try {
      const bytes = new TextEncoder().encode("body { color: red }".repeat(1_000))
      const path = join(folder, "console.pack")
      const files = [
        { name: "index.html", type: "text/html", bytes: new TextEncoder().encode("<p>\n") },
        { name: "style.css", type: "text/css", bytes }
      ]
      await Bun.write(path, packPage(files))
      const read = await unpackPage(Bun.file(path))
      expect([...read.keys()]).toEqual(["index.html", "style.css"])
      expect(gunzipSync((await read.get("style.css")?.gzip.bytes()) ?? "")).toEqual(Buffer.from(bytes))
      expect(brotliDecompressSync((await read.get("index.html")?.br.bytes()) ?? "").toString()).toBe("<p>\n")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
