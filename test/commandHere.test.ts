import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand as runHere } from "./commandHere.ts"
import { runCommand as runProcess } from "./e2e/command.ts"
import { startGateway } from "./gatewayHere.ts"
import type { GatewayHere } from "./gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

it.each([
  ["accounts", "list"],
  ["accounts", "show", "nobody"],
  ["accounts", "set", "default", "--unknown", "5"],
  ["keys", "create", "one", "--account", "nobody", "--json"],
  ["keys", "list", "--url", "nonsense"],
  ["complete", "accounts", "show", ""],
  ["audit", "list", "--json"],
  ["accounts", "--help"]
])("a command in this process answers what a process does: %s %s", async (...args) => {
  const [here, there] = [await runHere(gateway.folder, args), await runProcess(gateway.folder, args)]
  expect([here.code, here.out, here.err]).toEqual([there.code, there.out, there.err])
})
