import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCommand } from "../../e2e/command.ts"
import { gatewayLogin } from "../programs/gatewayLogin.ts"
import type { RealProvider } from "./RealProvider.ts"
import { describeWithEach, isMissing, providerNames, startWorld } from "./world.ts"
import type { World } from "./world.ts"

let world: World
let home: string
beforeAll(async () => {
  world = await startWorld({ name: "sqlite" })
  home = mkdtempSync(join(tmpdir(), "gateway-programs-"))
})
afterAll(async () => {
  await world.stop()
  rmSync(home, { recursive: true, force: true })
})

describeWithEach("with %s", (name) => {
  it("`gateway login` is let in by a person of it, and out with their sign-in there", async () => {
    const provider = world.provider(name)
    const { member } = provider.people
    const visitor = await world.signedIn(provider, member)
    const login = await gatewayLogin({
      home,
      gateway: world.url,
      decide: async (code) => {
        const answer = await world.change(visitor, "POST", "/console/devices/decide", {
          code,
          approve: true,
          account: "team-a"
        })
        expect(answer.status).toBe(200)
      }
    })
    expect(login).toMatchObject({ code: 0, said: expect.stringContaining(`as ${member.shown};`) })
    const token = async () => (await runCommand(home, ["token"], { GATEWAY_URL: world.url })).out.trim()
    const authorization = `Bearer ${await token()}`
    const status = async () => (await fetch(`${world.url}/v1/models`, { headers: { authorization } })).status
    expect(await status()).toBe(200)
    await world.end(provider, member)
    await expect.poll(() => world.isIn(visitor)).toBe(false)
    await expect.poll(status).toBe(401)
    await provider.restore(member.name)
  })
})

/** The lines of `gateway check --live` about a provider. */
const checked = async (folder: string, { issuer }: RealProvider) => {
  const { code, out } = await runCommand(folder, ["check", "--live"], world.env)
  expect(code).toBe(0)
  const [, said = ""] = out.split(`sign_in: ${issuer} answers. To be registered there:\n`)
  return said.split("\n\n")[0] ?? ""
}

it("`gateway check --live` asks each, and prints what has to be registered there", async () => {
  for (const name of providerNames) {
    const { signsOut } = world.provider(name)
    const lines = await checked(world.folder, world.provider(name))
    expect(lines).toContain(`  the redirect address  ${world.url}/sign-in/callback`)
    expect([name, lines.includes("after signing out")]).toEqual([name, signsOut])
    expect([name, lines.includes("back-channel logout")]).toEqual([name, name === "oidc-provider"])
    expect([name, lines.includes("warning")]).toEqual([name, name === "zitadel"])
  }
})

it.skipIf(isMissing("Dex"))("`gateway check --live` names the scope by which Dex gives groups", async () => {
  const folder = join(home, "without-scopes")
  mkdirSync(folder)
  const yaml = readFileSync(join(world.folder, "gateway.yaml"), "utf8")
  writeFileSync(join(folder, "gateway.yaml"), yaml.replaceAll(/, scopes: \[.*?\]/g, ""))
  expect(await checked(folder, world.provider("Dex"))).toContain("warning: it has a scope groups")
})
