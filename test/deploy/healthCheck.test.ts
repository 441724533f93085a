import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { startGateway } from "../e2e/process.ts"

const root = resolve(import.meta.dirname, "../..")
const [, written = ""] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync(join(root, "Dockerfile"), "utf8")) ?? []
const command = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.String)))(written)

const certificates = join(root, "test/http/certificates")

it.each([
  ["HTTP", ""],
  ["HTTPS", `server: { tls: { cert: ${certificates}/first.crt, key: ${certificates}/first.key } }\n`]
])("the image's health check passes while the gateway is ready by %s, and fails when it is gone", async (_, yaml) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-health-"))
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  const gateway = await startGateway({ folder })
  const { port } = new URL(gateway.url)
  const check = () =>
    Bun.spawn([...command], { env: { PATH: process.env["PATH"] ?? "", GATEWAY_PORT: port }, stderr: "ignore" }).exited
  expect(await check()).toBe(0)
  await gateway.dispose()
  expect(await check()).not.toBe(0)
})
