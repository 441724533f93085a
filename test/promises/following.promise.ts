import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { keeps } from "./keeps.ts"

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const command = async (...args: ReadonlyArray<string>) => {
  const { code, err, json } = await runCommand(gateway.folder, args)
  expect([code, err]).toEqual([0, ""])
  return json
}

const status = async (secret: string) => {
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
    body: '{"model":"sandbox-text","max_tokens":9,"messages":"Hi"}'
  })
  await response.text()
  return response.status
}

it("a running gateway refuses a key within a second of the command that revoked it", () =>
  keeps("a key after it was revoked", 1_000, async () => {
    const { key, secret } = (await command("keys", "create", "k", "--json"))<{ key: { id: string }; secret: string }>()
    expect(await status(secret)).toBe(200)
    await command("keys", "revoke", key.id)
    const began = performance.now()
    while ((await status(secret)) !== 401) await Bun.sleep(10)
    return performance.now() - began
  }))
