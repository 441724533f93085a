import { renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startByShell } from "./shell.ts"
import type { ShellGateway } from "./shell.ts"

const upstream = fakeUpstream("openai-chat")
const config = `upstreams:
  paid: { protocol: openai-chat, base_url: "${upstream.url}/v1", api_key: sk-planted }
models:
  costly: { routes: [{ upstream: paid }], price: { input: 1, output: 1 } }
`
const started: Array<ShellGateway> = []
const start = async (script: string) => {
  const gateway = await startByShell({ script, config })
  started.push(gateway)
  return gateway
}
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.dispose()
})
afterAll(() => upstream.stop())

const ask = (gateway: ShellGateway, model: string) =>
  gateway.post("/v1/messages", {
    model,
    max_tokens: 50,
    messages: [{ role: "user", content: model === "costly" ? "play:text" : "hi" }]
  })

const patience = { timeout: 60_000, interval: 200 }

/** Unready with this reason, and no paid call reaches its upstream; ready again once it is mended. */
const standsStill = async (gateway: ShellGateway, reason: RegExp, mend: () => void) => {
  await expect.poll(gateway.ready, patience).toMatch(reason)
  const before = upstream.asked.length
  const refused = await ask(gateway, "costly")
  expect(refused.status).toBeGreaterThanOrEqual(500)
  expect(await refused.text()).toContain("can't store")
  expect(upstream.asked).toHaveLength(before)
  mend()
  await expect.poll(gateway.ready, patience).toMatch(/^200/)
  expect((await ask(gateway, "costly")).status).toBe(200)
  expect(upstream.asked.length).toBe(before + 1)
  expect(gateway.isAlive()).toBe(true)
}

const canMount =
  Bun.which("unshare") !== null && Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).success

describe("a gateway that can't write", () => {
  it.skipIf(!canMount)("is unready while its disk is full, the log on it too, and recovers by itself", async () => {
    const gateway = await start(
      `mkdir data; exec unshare -rm bash -c 'mount -t tmpfs -o size=12m tmpfs data && exec $serve > data/gateway.log 2>&1'`
    )
    const ballast = join(`/proc/${gateway.pid}/root`, gateway.folder, "data/ballast")
    expect((await ask(gateway, "costly")).status).toBe(200)
    fill(ballast)
    await standsStill(gateway, /^503 .*disk is full/, () => rmSync(ballast))
  })

  it("is unready at a limit on the size of files, and ready when it is lifted", async () => {
    const gateway = await start(`ulimit -S -f 100000; exec $serve`)
    const limit = (bytes: string) =>
      expect(Bun.spawnSync(["prlimit", "--pid", String(gateway.pid), `--fsize=${bytes}:unlimited`]).success).toBe(true)
    limit("4096")
    await standsStill(gateway, /^503 .*limit on the size of files/, () => limit("unlimited"))
  })

  it("is unready while its database was removed from under it, and ready when that is back", async () => {
    const gateway = await start(`exec $serve`)
    const at = join(gateway.folder, "data/gateway.db")
    renameSync(at, `${at}.away`)
    await standsStill(gateway, /^503 .*removed or replaced/, () => renameSync(`${at}.away`, at))
    // Another file in its place is not the one that is open.
    renameSync(at, `${at}.away`)
    writeFileSync(at, "")
    await expect.poll(gateway.ready, patience).toMatch(/^503 .*removed or replaced/)
    expect(statSync(at).size).toBe(0)
  })
})

/** Leaves no byte. */
const fill = (path: string) => {
  const full = Bun.spawnSync(["bash", "-c", `cat /dev/zero > ${path} || cat /dev/zero >> ${path}`])
  expect(full.success).toBe(false)
}
