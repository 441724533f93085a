import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { engines } from "../sql/engines.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const metered = "metered-key-0123456789abcdef"
const config = `
keys:
  - { name: metered, secret: ${metered}, balance_usd: 10 }
models:
  costly: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 100 } }
  costly-video: { routes: [{ upstream: sandbox, model: sandbox-video }], price: { per_second: 0.01 } }
`
const tasks = "/api/v3/contents/generations/tasks"

describe.skipIf(postgres === undefined)("an installation that moves to Postgres", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-copy-"))
  const scope = Effect.runSync(Scope.make())
  let url = ""
  let gateway: GatewayProcess | undefined
  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), config)
    url = await Effect.runPromise(Scope.extend(postgres?.url ?? Effect.die("none"), scope))
  })
  afterAll(async () => {
    await gateway?.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const call = async (path: string, body?: object): Promise<any> => {
    const response = await fetch(`${gateway?.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${metered}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    expect(response.status).toBe(200)
    return response.json()
  }
  const video = async (text: string): Promise<string> =>
    (await call(tasks, { model: "costly-video", content: [{ type: "text", text }], resolution: "480p", frames: 29 })).id
  const ended = (id: string) => expect.poll(async () => (await call(`${tasks}/${id}`)).status).toBe("succeeded")
  const copy = () => runCommand(folder, ["db", "copy", "--from", "sqlite:data/gateway.db", "--to", url, "--json"])

  it("goes on there: keys, balance, usage, records, conversations, and tasks that had not ended", async () => {
    gateway = await startGateway({ folder })
    const said = await call("/v1/responses", { model: "costly", input: "Remember the word heliotrope." })
    const done = await video("a cat")
    await ended(done)
    const waiting = await video("a dog [[sandbox: queue=1s]]")
    const refused = await copy()
    expect(refused.code).toBe(1)
    expect(refused.err).toContain("a gateway serves from data/gateway.db: stop it first")
    const before = {
      balance: await call("/v1/balance"),
      usage: await call("/v1/usage"),
      record: await call(`${tasks}/${done}`)
    }
    // Of the task that has not ended.
    expect(JSON.stringify(before.balance.held)).toMatch(/[1-9]/)
    gateway.signal("SIGTERM")
    expect(await gateway.exited).toBe(0)

    const copied = await copy()
    expect(copied.err).toContain("gateway: tasks: 2 of 2 rows")
    expect(copied.code).toBe(0)
    const report = copied.json<{ tables: Array<{ table: string; rows: number }>; sums: Record<string, string> }>()
    expect(report.tables).toContainEqual({ table: "tasks", rows: 2, mended: 0 })
    expect(report.sums["granted_nano_usd"]).toBe("10000000000")
    expect((await copy()).err).toContain("the target is not empty")

    gateway = await startGateway({ folder, env: { GATEWAY_DATABASE_URL: url, GATEWAY_DATA_DIRECTORY: "data" } })
    expect(await call("/v1/usage")).toEqual({ ...before.usage, since: expect.anything(), until: expect.anything() })
    expect(await call(`${tasks}/${done}`)).toEqual({
      ...before.record,
      // The gateway listens on another port now.
      content: expect.anything()
    })
    const again = await call("/v1/responses", {
      model: "costly",
      input: "Which word?",
      previous_response_id: said.id
    })
    expect(again.previous_response_id).toBe(said.id)
    await ended(waiting)
    const { granted, held } = await call("/v1/balance")
    expect(granted).toEqual(before.balance.granted)
    expect(JSON.stringify(held)).not.toMatch(/[1-9]/)
  })
})
