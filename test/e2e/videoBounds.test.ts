import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

/** Servers of Ark's protocol that take every task, and remember it. */
const asked: Array<{ readonly by: string; readonly duration: unknown }> = []
const ark = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const by = new URL(request.url).pathname.split("/")[1] ?? ""
    if (request.method !== "POST") return Response.json({ id: "cgt-1", status: "running", model: "m" })
    const { duration } = (await request.json()) as { duration?: number }
    asked.push({ by, duration })
    return Response.json({ id: `cgt-up-${asked.length}` })
  }
})

const folder = mkdtempSync(join(tmpdir(), "gateway-video-bounds-"))
let gateway: GatewayHere
beforeAll(async () => {
  const upstream = (name: string) => ({
    protocol: "ark-video",
    base_url: `http://127.0.0.1:${ark.port}/${name}`,
    api_key: "key-0123456789"
  })
  const short = { upstream: "short", model: "made-up", video: { seconds: [4, 5] } }
  const long = { upstream: "long", model: "made-up-long", video: { seconds: "4-30", default_seconds: 20 } }
  const models = {
    clip: { routes: [short] },
    // The model's own bounds hold for both, unless the route says otherwise.
    film: { video: { resolutions: ["720p"] }, routes: [short, long] }
  }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({ upstreams: { short: upstream("short"), long: upstream("long") }, models })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await ark.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

const create = async (model: string, more: object) => {
  const content = [{ type: "text", text: "A cat" }]
  const reply = await request(gateway, "/api/v3/contents/generations/tasks", {
    method: "POST",
    body: { model, content, ...more }
  })
  return {
    status: reply.status,
    body: (await reply.json()) as { id?: string; error?: { message: string; param?: string } }
  }
}

describe("bounds of a video model that a configuration gives", () => {
  it("refuse what is beyond them, by the bound and the model, at both doors", async () => {
    const { body, status } = await create("clip", { duration: 9 })
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining("expected 4 or 5 seconds, or -1, for clip; got 9")
    ])
    const other = await request(gateway, "/v1/videos", {
      method: "POST",
      body: { model: "clip", prompt: "A cat", seconds: "9" }
    })
    expect(other.status).toBe(400)
    expect(await other.json()).toMatchObject({
      error: { param: "seconds", message: expect.stringContaining("4 or 5 seconds") }
    })
    expect(asked).toEqual([])
  })

  it("let the routes that can be asked: first those in order", async () => {
    expect((await create("film", { duration: 5 })).status).toBe(200)
    expect((await create("film", { duration: 25 })).status).toBe(200)
    await expect.poll(() => asked.length).toBe(2)
    expect(asked.toSorted((one, other) => Number(one.duration) - Number(other.duration))).toEqual([
      { by: "short", duration: 5 },
      { by: "long", duration: 25 }
    ])
    expect((await create("film", { duration: 5, resolution: "1080p" })).body.error?.message).toContain(
      "expected one of 720p for film"
    )
  })

  it("are shown with the model: the widest of its routes", async () => {
    const listed = (await (await request(gateway, "/v1/models")).json()) as {
      data: ReadonlyArray<{ id: string; video?: { seconds: unknown } }>
    }
    const videoOf = (id: string) => listed.data.find((one) => one.id === id)?.video
    expect(videoOf("clip")).toMatchObject({ seconds: [4, 5] })
    expect(videoOf("film")).toMatchObject({ seconds: expect.arrayContaining([4, 30]), resolutions: ["720p"] })
  })
})
