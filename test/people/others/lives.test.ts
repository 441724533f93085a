import { cpSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { describeOnEach } from "../../sql/engines.ts"
import { Visitor } from "../visitor.ts"
import { isMissing, startWorld } from "./world.ts"
import type { World } from "./world.ts"
import { freePort } from "../../freePort.ts"

const minute = 60_000

describeOnEach("real providers that come and go", (engine) => {
  let world: World
  let second: GatewayHere | undefined
  beforeAll(async () => {
    world = await startWorld(engine)
    if (engine.name === "sqlite") return
    const folder = mkdtempSync(join(tmpdir(), "gateway-second-"))
    cpSync(join(world.folder, "gateway.yaml"), join(folder, "gateway.yaml"))
    second = await startGateway({ folder, env: { ...world.env, GATEWAY_PORT: String(freePort()) } })
  })
  afterAll(async () => {
    await second?.dispose()
    await world.stop()
  })

  /** The operator of each provider, signed in. */
  const everybody = () =>
    Promise.all(
      [...world.providers.values()].map(async (provider) => ({
        provider,
        person: provider.people.operator,
        visitor: await world.signedIn(provider, provider.people.operator)
      }))
    )

  it.skipIf(engine.name === "sqlite")("keep their people signed in where two nodes ask for them at once", async () => {
    const people = await everybody()
    const nodes = [world.url, second?.url ?? ""]
    const ask = (node: string, visitor: Visitor) =>
      fetch(`${node}/admin/v1/nodes`, { headers: { cookie: visitor.cookieHeader(world.url) } })
    for (const _ of [1, 2, 3, 4]) {
      const before = await Promise.all(people.map(({ person, provider }) => world.personOf(provider, person)))
      await world.due()
      const asked = people.flatMap(({ visitor }) => nodes.flatMap((node) => [ask(node, visitor), ask(node, visitor)]))
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200))
      for (const [index, { person, provider }] of people.entries()) {
        // The one that asks stores a moment later, where another did not wait for it.
        await expect
          .poll(async () => (await world.personOf(provider, person)).checkedAt)
          .toBeGreaterThan((before[index]?.checkedAt ?? 0) - minute)
        const after = await world.personOf(provider, person)
        expect([after.hasEnded, after.isFailing]).toEqual([false, false])
        expect(after.refreshToken === before[index]?.refreshToken).toBe(!provider.rotates)
      }
    }
    expect(world.gateway.output()).not.toContain("sign_in.provider_failed")
    expect(second?.output()).not.toContain("sign_in.provider_failed")
  })

  it("hold no person up while they hang, stop their people after an hour, and bring them back", async () => {
    const people = await everybody()
    const begun = await Promise.all(
      people.map(async ({ provider }) => {
        const visitor = new Visitor()
        return { visitor, back: await visitor.authorize(world.url, provider.people.member, world.pathTo(provider)) }
      })
    )
    for (const { provider } of people) provider.hang()
    await world.due()
    const statuses = () => Promise.all(people.map(({ visitor }) => world.status(visitor)))
    expect(await statuses()).toEqual(people.map(() => 200))
    for (const { person, provider } of people) {
      await expect.poll(async () => (await world.personOf(provider, person)).isFailing).toBe(true)
    }
    // They had come as far as the way back.
    const answers = await Promise.all(begun.map(({ back, visitor }) => visitor.send(back, { isForeign: true })))
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 502))
    await world.later(61 * minute)
    expect(await statuses()).toEqual(people.map(() => 503))
    for (const { visitor } of people) expect((await visitor.session(world.url)).signed_in).toBe(true)
    for (const { provider } of people) provider.goOn()
    await world.later(minute)
    await expect.poll(statuses).toEqual(people.map(() => 200))
    expect((await world.run(`SELECT id FROM people WHERE ended_at IS NOT NULL`)).length).toBe(0)
  })

  it.skipIf(isMissing("Dex"))("stop a person within an hour whom they can't be asked about", async () => {
    const provider = world.provider("Dex")
    const { member } = provider.people
    const visitor = await world.signedIn(provider, member)
    // Dex has them from another provider, where they are removed.
    const upstream = world.provider("oidc-provider")
    await upstream.end({ name: member.name, subject: "", idToken: "" })
    await world.due()
    const status = () => world.status(visitor, "/admin/v1/keys")
    expect(await status()).toBe(200)
    await expect.poll(async () => (await world.personOf(provider, member)).isFailing).toBe(true)
    await world.later(61 * minute)
    expect(await status()).toBe(503)
    await upstream.restore(member.name)
    await world.signedIn(provider, member)
    expect(await status()).toBe(200)
  })
})
