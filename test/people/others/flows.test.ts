import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import { Visitor } from "../visitor.ts"
import { describeWithEach, startWorld } from "./world.ts"
import type { World } from "./world.ts"

/* One gateway with several third-party providers at once. What differs between them stands in their files. */
describeOnEach("people of real providers", (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
  })
  afterAll(() => world.stop())

  describeWithEach("%s", (name) => {
    it("signs its people in by its link, each with their role", async () => {
      const provider = world.provider(name)
      const { member, operator } = provider.people
      const visitor = new Visitor()
      expect((await visitor.session(world.url)).sign_in).toContainEqual({
        name: new URL(provider.issuer).host,
        url: `/sign-in?issuer=${encodeURIComponent(provider.issuer)}`
      })
      const answer = await visitor.signIn(world.url, operator, world.pathTo(provider, "&return_to=/console/keys"))
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console/keys"])
      expect(await visitor.session(world.url)).toMatchObject({
        signed_in: true,
        name: operator.shown,
        role: "operator",
        accounts: null
      })
      expect(await world.status(visitor)).toBe(200)
      const other = await world.signedIn(provider, member)
      expect(await other.session(world.url)).toMatchObject({ name: member.shown, role: "member", accounts: ["team-a"] })
      expect(await world.status(other)).toBe(403)
    })

    it("signs nobody in who has no role here", async () => {
      const provider = world.provider(name)
      const visitor = new Visitor()
      const answer = await visitor.signIn(world.url, provider.people.stranger, world.pathTo(provider))
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("knows none of your groups")])
      expect((await visitor.session(world.url)).signed_in).toBe(false)
      expect(world.gateway.output()).toContain(`"issuer":"${provider.issuer}"`)
    })

    it("is asked about its people again and again, with the token that it gave last", async () => {
      const provider = world.provider(name)
      const { operator } = provider.people
      const visitor = await world.signedIn(provider, operator)
      const tokens = new Set([(await world.personOf(provider, operator)).refreshToken])
      for (const _ of [1, 2, 3]) {
        const { checkedAt } = await world.personOf(provider, operator)
        await world.due()
        expect(await world.status(visitor)).toBe(200)
        // Where the daemon has come first, the request does not wait for it.
        const found = () => world.personOf(provider, operator)
        await expect.poll(async () => (await found()).checkedAt).toBeGreaterThanOrEqual(checkedAt)
        const after = await found()
        expect(after).toMatchObject({ hasEnded: false, isFailing: false })
        tokens.add(after.refreshToken)
      }
      expect([tokens.size, tokens.has(undefined)]).toEqual([provider.rotates ? 4 : 1, false])
      expect(await visitor.session(world.url)).toMatchObject({ name: operator.shown, role: "operator" })
    })

    it("ends sessions and keys of a person with their sign-in there", async () => {
      const provider = world.provider(name)
      const { member, operator } = provider.people
      const [one, two] = [await world.signedIn(provider, member), await world.signedIn(provider, member)]
      const other = await world.signedIn(provider, operator)
      const made = await world.change(one, "POST", "/admin/v1/keys", { account: "team-a", name: "own" })
      const { key, secret } = await made.json()
      const byKey = async () =>
        (await fetch(`${world.url}/v1/account`, { headers: { authorization: `Bearer ${secret}` } })).status
      expect(await byKey()).toBe(200)
      await world.end(provider, member)
      for (const visitor of [one, two]) await expect.poll(() => world.isIn(visitor)).toBe(false)
      await expect.poll(byKey).toBe(401)
      expect(await world.isIn(other)).toBe(true)
      const audit = await (await other.send(`${world.url}/admin/v1/audit?action=person.end`)).json()
      expect(audit.data[0]).toMatchObject({
        actor: member.shown,
        via: provider.issuer,
        after: { reason: "the provider ended the sign-in", keys: [key.id] }
      })
      await provider.restore(member.name)
      await world.signedIn(provider, member)
      await expect.poll(byKey).toBe(200)
    })

    it("is shown to a person who signs out, if it has a page for that", async () => {
      const provider = world.provider(name)
      const visitor = await world.signedIn(provider, provider.people.operator)
      const out = await world.change(visitor, "DELETE", "/console/session")
      const { provider_sign_out: page } = await out.json()
      expect((await visitor.session(world.url)).signed_in).toBe(false)
      if (!provider.signsOut) return expect(page).toBeUndefined()
      const { origin, searchParams } = new URL(page)
      expect([origin, searchParams.get("post_logout_redirect_uri")]).toEqual([
        new URL(provider.issuer).origin,
        `${world.url}/console`
      ])
      expect(searchParams.get("id_token_hint")?.split(".")).toHaveLength(3)
    })
  })
})
