import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "./command.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const asAdmin = { authorization: `Bearer ${adminKey}` }

interface Line {
  readonly event: string
  readonly request_id: string
  readonly status: number
}

describe("the log of a running gateway", () => {
  let gateway: GatewayHere
  beforeAll(async () => {
    gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
  })
  afterAll(() => gateway.dispose())

  const ask = async (model: string) => {
    const answer = await request(gateway, "/v1/messages", { body: { model, max_tokens: 9, messages: "Hi" } })
    await answer.text()
    return answer.headers.get("x-request-id") ?? ""
  }

  const read = async (query: string, headers: Record<string, string> = asAdmin) => {
    const answer = await fetch(`${gateway.url}/admin/v1/logs?${query}`, { headers })
    return { status: answer.status, data: (await answer.json()).data as ReadonlyArray<Line> }
  }

  const command = (...args: ReadonlyArray<string>) =>
    runCommand(gateway.folder, ["logs", ...args, "--url", gateway.url], { GATEWAY_ADMIN_KEY: adminKey })

  it("is read by its levels, events and requests", async () => {
    const [fine, refused] = [await ask("sandbox-text"), await ask("no-such-model")]
    await expect.poll(async () => (await read(`request_id=${refused}`)).data.length).toBe(1)
    expect((await read(`request_id=${fine}`)).data).toMatchObject([{ event: "request", request_id: fine, status: 200 }])
    const loud = (await read("level=warn&event=request")).data.map(({ request_id }) => request_id)
    expect(loud).toContain(refused)
    expect(loud).not.toContain(fine)
    expect((await read("limit=1&event=request&level=warn")).data).toHaveLength(1)
  })

  it("is only the operator's, and holds no secret", async () => {
    expect((await read("", { authorization: `Bearer ${gateway.key}` })).status).toBe(401)
    expect((await read("level=loud")).status).toBe(400)
    const text = JSON.stringify((await read("limit=5000")).data)
    expect(text).not.toContain(gateway.key)
    expect(text).not.toContain(adminKey)
  })

  it("is followed: first what there is, then what comes", async () => {
    const before = await ask("sandbox-text")
    await expect.poll(async () => (await read(`request_id=${before}`)).data.length).toBe(1)
    const leaving = new AbortController()
    const answer = await fetch(`${gateway.url}/admin/v1/logs/events?event=request&limit=50`, {
      headers: asAdmin,
      signal: leaving.signal
    })
    expect(answer.headers.get("content-type")).toContain("text/event-stream")
    let text = ""
    const gather = async () => {
      for await (const bytes of answer.body ?? []) text += new TextDecoder().decode(bytes)
    }
    const gathered = gather().catch(() => {})
    await expect.poll(() => text).toContain(before)
    const after = await ask("sandbox-text")
    await expect.poll(() => text).toContain(after)
    for (const id of [before, after]) expect(text.match(new RegExp(`"request_id":"${id}"`, "g"))).toHaveLength(1)
    expect(text.indexOf(before)).toBeLessThan(text.indexOf(after))
    leaving.abort()
    await gathered
  })

  it("is printed by a command, for people and for scripts", async () => {
    const id = await ask("no-such-model")
    await expect.poll(async () => (await read(`request_id=${id}`)).data.length).toBe(1)
    const { code, out } = await command("--request", id)
    expect(code).toBe(0)
    expect(out).toMatch(/^\d\d:\d\d:\d\d WARN {2}400 POST \/v1\/messages .*error=\w+.*model=no-such-model/)
    const asJson = await command("--request", id, "--json")
    expect(JSON.parse(asJson.out)).toMatchObject({ event: "request", request_id: id, level: "warn", status: 400 })
    expect((await command("--level", "loud")).code).not.toBe(0)
  })

  it("is refused to a wrong key, in one line", async () => {
    const env = { GATEWAY_ADMIN_KEY: "wrong-key-0123456789abcdefghijklmnop" }
    for (const more of [[], ["--follow"]]) {
      const { code, err } = await runCommand(gateway.folder, ["logs", ...more, "--url", gateway.url], env)
      expect(code).not.toBe(0)
      expect(err).toContain("refuses GATEWAY_ADMIN_KEY")
    }
  })
})
