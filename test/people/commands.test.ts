import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const keyOf = (name: string) => `${name}-key-0123456789abcdefghij`
const file = JSON.stringify({
  admin_keys: [
    { name: "auditor", role: "auditor", secret: keyOf("auditor") },
    { name: "manager", role: "manager", accounts: ["team-a"], secret: keyOf("manager") },
    { name: "metrics", role: "metrics", secret: keyOf("metrics") }
  ]
})

/** Commands that each role may run, and those that are refused. */
const commands = {
  auditor: {
    may: ["keys list", "accounts show team-a", "accounts members team-a", "audit list", "nodes", "overview"],
    mayNot: [
      "keys create x --account team-a",
      "accounts credit team-a 5",
      "accounts suspend team-a",
      "tasks cancel cgt-none",
      "sessions revoke session_none",
      "prices refresh"
    ]
  },
  manager: {
    may: ["keys list", "keys create x --account team-a", "accounts list", "accounts members team-a", "requests list"],
    mayNot: ["accounts create team-b", "accounts set team-a --budget 5", "nodes", "logs", "sessions list", "upstreams"]
  },
  metrics: { may: [], mayNot: ["keys list", "overview", "models list"] }
} as const

describe("a command with an admin key of a role", () => {
  let folder: string
  let gateway: GatewayHere
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "gateway-elsewhere-"))
    const served = mkdtempSync(join(tmpdir(), "gateway-commands-"))
    writeFileSync(join(served, "gateway.yaml"), file)
    gateway = await startGateway({ folder: served, env: { GATEWAY_ADMIN_KEY: keyOf("operator") } })
    const made = await run("operator", "accounts create team-a")
    expect([made.code, made.err]).toEqual([0, ""])
  })
  afterAll(async () => {
    await gateway.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (name: string, command: string) =>
    runCommand(folder, command.split(" "), { GATEWAY_URL: gateway.url, GATEWAY_ADMIN_KEY: keyOf(name) })

  it.each(["auditor", "manager", "metrics"] as const)(
    "does what %s may, and says in one line what it may not",
    async (role) => {
      for (const command of commands[role].may) {
        const { code, err } = await run(role, command)
        expect([command, code, err]).toEqual([command, 0, ""])
      }
      for (const command of commands[role].mayNot) {
        const { code, err, out } = await run(role, command)
        const line = `gateway: The role ${role} does not reach this operation\n`
        expect([command, code, err, out]).toEqual([command, 1, line, ""])
      }
    }
  )

  it("reaches no other account", async () => {
    const { code, err } = await run("manager", "accounts show team-b")
    expect([code, err]).toEqual([3, 'gateway: no account "team-b"\n'])
  })
})
