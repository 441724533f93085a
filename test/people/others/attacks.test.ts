import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Visitor } from "../visitor.ts"
import { allProviders, describeWithEach, isMissing, startWorld } from "./world.ts"
import type { World } from "./world.ts"

/* What of the attacks of `test/people/attacks.test.ts` depends on the provider, with real ones, all in one gateway. */
let world: World
beforeAll(async () => {
  world = await startWorld({ name: "sqlite" })
})
afterAll(() => world.stop())

/** Begins a sign-in; the provider's address, and the state that it would send back. */
const begin = async (visitor: Visitor, name: string, more = "") => {
  const answer = await visitor.send(world.url + world.pathTo(world.provider(name), more))
  expect(answer.status).toBe(303)
  const location = new URL(answer.headers.get("location") ?? "")
  return { location, state: location.searchParams.get("state") ?? "" }
}
/** Signs in at the provider, by an address of it; what comes back, not visited yet. */
const back = async (visitor: Visitor, name: string, location: URL, who: "operator" | "member" = "operator") => {
  const url = location.href
  const answer = await visitor.send(url)
  return new URL(await visitor.passProvider(world.url, world.provider(name).people[who], url, answer))
}
const visit = (visitor: Visitor, { href }: URL) => visitor.send(href, { isForeign: true })
const withParameter = (url: URL, name: string, value: string) => {
  const changed = new URL(url)
  changed.searchParams.set(name, value)
  return changed
}

const refused = async (visitor: Visitor, answer: Response) => {
  expect([403, 502]).toContain(answer.status)
  expect(await answer.text()).toContain("Not signed in")
  expect(visitor.cookies(world.url).has("gateway_session")).toBe(false)
  expect((await visitor.session(world.url)).signed_in).toBe(false)
}

describeWithEach("with %s", (name) => {
  it("a code counts once, also in a sign-in of its own", async () => {
    const first = new Visitor()
    const came = await back(first, name, (await begin(first, name)).location)
    expect((await visit(first, came)).status).toBe(303)
    const again = new Visitor()
    const { state } = await begin(again, name)
    await refused(again, await visit(again, withParameter(came, "state", state)))
  })

  it("a code of somebody else's sign-in counts in no other", async () => {
    const attacker = new Visitor()
    const theirs = await back(attacker, name, (await begin(attacker, name)).location, "member")
    const victim = new Visitor()
    const { state } = await begin(victim, name)
    await refused(victim, await visit(victim, withParameter(theirs, "state", state)))
  })

  it("the addresses of two who come back can't be exchanged", async () => {
    const [one, two] = [new Visitor(), new Visitor()]
    const ofOne = await back(one, name, (await begin(one, name)).location)
    const ofTwo = await back(two, name, (await begin(two, name)).location, "member")
    await refused(one, await visit(one, ofTwo))
    await refused(two, await visit(two, ofOne))
  })

  it.each([
    ["changed", (url: URL) => url.searchParams.set("nonce", "another")],
    ["left out", (url: URL) => url.searchParams.delete("nonce")]
  ])("a nonce that was %s on the way is noticed", async (_, change) => {
    const visitor = new Visitor()
    const { location } = await begin(visitor, name)
    change(location)
    await refused(visitor, await visit(visitor, await back(visitor, name, location)))
  })

  it("no link leads elsewhere, and no session that was planted stays", async () => {
    const visitor = new Visitor()
    const planted = "p".repeat(43)
    visitor.cookies(world.url).set("gateway_session", planted)
    const { location } = await begin(visitor, name, `&return_to=${encodeURIComponent("https://evil.test/console")}`)
    const answer = await visit(visitor, await back(visitor, name, location))
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console"])
    expect(visitor.cookies(world.url).get("gateway_session")).not.toBe(planted)
    // A second sign-in in the same browser ends the first.
    const before = visitor.cookieHeader(world.url)
    await visit(visitor, await back(visitor, name, (await begin(visitor, name)).location))
    const old = await (await fetch(`${world.url}/console/session`, { headers: { cookie: before } })).json()
    expect(old.signed_in).toBe(false)
    expect((await visitor.session(world.url)).signed_in).toBe(true)
  })

  it("signing out takes the page's token alone, and no ID token of the provider", async () => {
    const provider = world.provider(name)
    const visitor = await world.signedIn(provider, provider.people.operator)
    expect((await visitor.send(`${world.url}/console/session`, { method: "DELETE" })).status).toBe(403)
    const { idToken } = await world.personOf(provider, provider.people.operator)
    const answer = await fetch(`${world.url}/sign-in/logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: idToken })
    })
    expect([idToken.split(".").length, answer.status]).toEqual([3, 400])
    expect((await visitor.session(world.url)).signed_in).toBe(true)
  })
})

describe("with several providers at once", () => {
  for (const one of allProviders) {
    for (const other of allProviders.filter((name) => name !== one)) {
      it.skipIf(isMissing(one) || isMissing(other))(
        `${one}'s sign-in takes no answer of ${other} (mix-up)`,
        async () => {
          const attacker = new Visitor()
          const theirs = await back(attacker, other, (await begin(attacker, other)).location)
          const visitor = new Visitor()
          const { state } = await begin(visitor, one)
          await refused(visitor, await visit(visitor, withParameter(theirs, "state", state)))
        }
      )
    }
  }

  it("a person is a provider's: the same subject and role of another is somebody else", async () => {
    const operators = [...world.providers.values()].map((provider) => ({ provider, person: provider.people.operator }))
    const visitors: Array<Visitor> = []
    for (const { person, provider } of operators) visitors.push(await world.signedIn(provider, person))
    const rows = await world.run(`SELECT id, issuer, subject FROM people WHERE ended_at IS NULL AND email <> ''`)
    const people = await Promise.all(operators.map(({ person, provider }) => world.personOf(provider, person)))
    expect(new Set(people.map(({ id }) => id)).size).toBe(operators.length)
    const anns = rows.filter(({ subject }) => subject === "ann")
    expect(anns).toHaveLength(isMissing("zitadel") ? 1 : 2)
    // One ends, the others stay.
    for (const [index, { person, provider }] of operators.entries()) {
      await world.end(provider, person)
      const signedIn = () => Promise.all(visitors.map((one) => world.isIn(one)))
      await expect.poll(signedIn).toEqual(operators.map((_, at) => at > index))
    }
  })
})
