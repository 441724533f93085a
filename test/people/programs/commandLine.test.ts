import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../../e2e/command.ts"
import { gatewayLogin } from "./gatewayLogin.ts"
import { startWorld } from "./world.ts"

describe("the command line's own sign-in", () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  let home: string

  beforeAll(async () => {
    world = await startWorld({ name: "sqlite" }, "command-line")
    home = mkdtempSync(join(tmpdir(), "gateway-command-line-"))
  })
  afterAll(async () => {
    await world.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const env = () => ({ GATEWAY_URL: world.gateway.url })
  const run = (args: ReadonlyArray<string>, more = {}) => runCommand(home, args, { ...env(), ...more })
  const file = () => join(home, ".config/model-gateway/tokens.json")

  const login = (decision: object, ...options: ReadonlyArray<string>) =>
    gatewayLogin({
      home,
      gateway: world.gateway.url,
      options,
      decide: async (code) => {
        const ann = await world.signedIn("ann")
        expect((await world.decide(ann, code, decision)).status).toBe(200)
      }
    })
  const approved = { approve: true, account: "default" }

  const expire = () =>
    writeFileSync(file(), readFileSync(file(), "utf8").replaceAll(/"20\d\d-[^"]*Z"/g, '"2020-01-01T00:00:00.000Z"'))

  it("signs in, refreshes for many processes at once, opens models and nothing of the operator's, and signs out", async () => {
    const signedIn = await login(approved)
    expect(signedIn).toMatchObject({ code: 0, out: "", said: expect.stringContaining("as ann@corp.test;") })
    const first = (await run(["token"])).out.trim()
    expect(await world.status(first)).toBe(200)
    const admin = await run(["keys", "list"], { GATEWAY_ADMIN_KEY: first })
    expect([admin.code, admin.err]).toEqual([1, expect.stringContaining("refuses GATEWAY_ADMIN_KEY")])

    for (const _ of [1, 2]) {
      expire()
      const outs = await Promise.all(Array.from({ length: 6 }, () => run(["token"])))
      expect(new Set(outs.map(({ out }) => out)).size).toBe(1)
      expect(outs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    }
    const last = (await run(["token"])).out.trim()
    expect(last).not.toBe(first)
    expect(await world.status(last)).toBe(200)

    expect((await run(["logout"])).err).toBe(`Signed out of ${world.gateway.url}.\n`)
    // Changes reach every process within a second.
    await expect.poll(() => world.status(last)).toBe(401)
    expect((await run(["token"])).err).toContain("not signed in")
  })

  it("removes the tokens of a sign-in that the gateway has ended", async () => {
    expect((await login(approved)).code).toBe(0)
    await world.run("DELETE FROM person_tokens")
    expire()
    const ended = await run(["token"])
    expect([ended.code, ended.out, ended.err]).toEqual([
      1,
      "",
      expect.stringContaining("has ended: run `gateway login")
    ])
    expect(readFileSync(file(), "utf8")).toBe("{}\n")
  })

  it("is told that the person has refused", async () => {
    expect(await login({ approve: false })).toMatchObject({
      code: 1,
      said: expect.stringContaining("was refused in the browser")
    })
  })

  it("gets a key of the person's for a program that keeps one", async () => {
    const { code, out, said } = await login(approved, "--key")
    expect([code, out]).toEqual([0, expect.stringMatching(/^gw_\S+\n$/)])
    expect(said).not.toContain(out.trim())
    expect(await world.status(out.trim())).toBe(200)
  })
})
