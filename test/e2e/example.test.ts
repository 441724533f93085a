import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { readMp4 } from "../sandbox/video/boxes.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const secret = `whsec_${Buffer.from("the example's own webhook secret").toString("base64")}`
let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8", GATEWAY_WEBHOOK_SECRET: secret } })
})
afterAll(() => gateway.dispose())

it("the README's example receives every signed callback in order and saves a clip that plays", async () => {
  const example = Bun.spawn([process.execPath, resolve(import.meta.dirname, "../../examples/video-callbacks.ts")], {
    cwd: gateway.folder,
    env: { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.key, GATEWAY_WEBHOOK_SECRET: secret },
    stdout: "pipe",
    stderr: "pipe"
  })
  const [printed, complained, code] = await Promise.all([
    new Response(example.stdout).text(),
    new Response(example.stderr).text(),
    example.exited
  ])
  expect([code, complained]).toEqual([0, ""])
  expect(printed.split("\n").filter((line) => line.startsWith("callback:"))).toEqual([
    "callback: queued",
    "callback: running",
    "callback: succeeded"
  ])
  expect(readMp4(readFileSync(join(gateway.folder, "lighthouse.mp4")))).toMatchObject({ width: 864, height: 496 })
})
