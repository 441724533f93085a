import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { startGateway } from "./process.ts"
import { request } from "../request.ts"

it("an upstream that can't say which models it has is asked again, and its models outlive its restarts", async () => {
  let listed: ReadonlyArray<string> | undefined
  let asked = 0
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked++
      return listed === undefined
        ? new Response("starting", { status: 503 })
        : Response.json({ data: listed.map((id) => ({ id })) })
    }
  })
  const folder = mkdtempSync(join(tmpdir(), "gateway-listing-"))
  const settings = {
    upstreams: { up: { protocol: "openai-chat", base_url: `${upstream.url}v1`, list_models: true } }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(settings))
  const gateway = await startGateway({ folder })
  const models = async () => {
    const answer = await request(gateway, "/v1/models")
    const { data } = (await answer.json()) as { data: ReadonlyArray<{ id: string }> }
    return data.map(({ id }) => id)
  }
  expect(await models()).not.toContain("m-1")
  listed = ["m-1"]
  await expect.poll(models).toContain("m-1")

  // Its server restarts while the gateway looks: it is not there, or has none yet, or its entry changes meanwhile.
  for (const [none, changed] of [[undefined], [[]], [undefined, { "x-team": "a" }]] as const) {
    listed = none
    const before = asked
    const up = { ...settings.upstreams.up, ...(changed !== undefined && { headers: changed }) }
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams: { up } }))
    gateway.signal("SIGHUP")
    await expect.poll(() => asked).toBeGreaterThan(before + 1)
    expect(await models()).toContain("m-1")
    listed = ["m-1", "m-2"]
    await expect.poll(models).toContain("m-2")
  }
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(ready.status).toBe(200)
  await gateway.dispose()
  await upstream.stop(true)
})
