import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import type { Visitor } from "../visitor.ts"
import { sharedKey, startToolsWorld } from "./toolsWorld.ts"

describeOnEach("people's accounts at servers of tools", (engine) => {
  let world: Awaited<ReturnType<typeof startToolsWorld>>
  let ann: Visitor
  let annsToken: string

  beforeAll(async () => {
    world = await startToolsWorld(engine, "tool-connections")
    ann = await world.signedIn("ann")
    annsToken = await world.tokenOf(ann)
  })
  afterAll(() => world.stop())
  beforeEach(() => {
    world.fake.changed({})
    world.fake.lasts(3_600)
    world.fake.away(false)
  })

  const link = () => `${world.url}/console/tools?connect=jira`
  const grants = async () => (await world.run("SELECT server FROM mcp_grants")).length
  const expire = () => world.run("UPDATE mcp_grants SET expires_at = 1")
  const refreshed = () => world.fake.seen.filter(({ grant_type }) => grant_type === "refresh_token").length

  it("are connected at the server's own sign-in, and used by their person alone", async () => {
    expect(await world.connections(ann)).toMatchObject([{ server: "jira", connected_at: null }])
    expect(await world.names(annsToken)).toEqual(["jira__connect"])
    expect(await world.call(annsToken, "connect")).toContain(link())
    expect(await world.names(sharedKey)).toEqual([])
    expect(await world.call(sharedKey, "read")).toContain("this key belongs to no person")
    expect(await world.connect(ann)).toMatchObject({ status: 303, location: "/console/tools?connected=jira" })
    const [asked] = world.fake.asked
    const [form] = world.fake.seen
    expect([asked?.get("resource"), form?.["resource"]]).toEqual([world.fake.url, world.fake.url])
    expect(asked?.get("scope")).toBe("read")
    expect(await world.connections(ann)).toMatchObject([
      { connected_at: expect.any(String), scopes: ["read"], wants_more: false, failing_since: null }
    ])
    expect(await world.names(annsToken)).toEqual(["jira__read", "jira__write"])
    expect(await world.call(annsToken, "read")).toBe("did read with read")
    // The gateway's own tokens go to no server.
    const sent = world.fake.calls.map((headers) => headers.get("authorization") ?? "")
    expect(sent.some((one) => one.startsWith("Bearer access-"))).toBe(true)
    expect(sent.filter((one) => one !== "" && !one.startsWith("Bearer access-"))).toEqual([])
    const bob = await world.signedIn("bob")
    expect(await world.connections(bob)).toMatchObject([{ connected_at: null }])
    const stored = JSON.stringify(await world.run("SELECT * FROM mcp_grants", "SELECT * FROM mcp_clients"))
    expect(stored).not.toMatch(/access-|refresh-|secret-/)
    // A registration is made once.
    await world.connect(ann)
    expect(world.fake.clients.size).toBe(1)
  })

  it("lead the person of a newer client to the page, once, and others' models to its address", async () => {
    await world.send(ann, "DELETE", "/console/tools/jira")
    const asked = await world.led(annsToken)
    expect(asked).toMatchObject({
      resultType: "input_required",
      inputRequests: { connect: { method: "elicitation/create", params: { mode: "url", url: link() } } }
    })
    const { requestState } = asked
    const cancelled = await world.led(annsToken, { requestState, inputResponses: { connect: { action: "cancel" } } })
    expect(cancelled).toMatchObject({ resultType: "complete", isError: true })
    expect(cancelled.content[0].text).toContain(link())
    await world.connect(ann)
    const accepted = await world.led(annsToken, { requestState, inputResponses: { connect: { action: "accept" } } })
    expect(accepted.content[0].text).toBe("did read with read")
  })

  it("are reached by requests of a model, whose refusal names the page to connect at", async () => {
    const token = await world.modelTokenOf(ann)
    await world.connect(ann)
    const { body, status } = await world.respond(token)
    expect([status, body.output[0]]).toEqual([
      200,
      expect.objectContaining({
        type: "mcp_list_tools",
        tools: [expect.objectContaining({ name: "read" }), expect.objectContaining({ name: "write" })]
      })
    ])
    expect((await world.respond(sharedKey)).body.error.message).toContain("this key belongs to no person")
    await world.send(ann, "DELETE", "/console/tools/jira")
    const refused = await world.respond(token)
    expect([refused.status, refused.body.error.message]).toEqual([424, expect.stringContaining(link())])
  })

  it("are refreshed by one request, however many need it, and by none while the token lasts", async () => {
    await world.connect(ann)
    const before = refreshed()
    await world.call(annsToken, "read")
    expect(refreshed()).toBe(before)
    await expire()
    const texts = await Promise.all([1, 2, 3].map(() => world.call(annsToken, "read")))
    expect(texts).toEqual(Array(3).fill("did read with read"))
    expect(refreshed()).toBe(before + 1)
    // The server has forgotten a token before its end: it is replaced, and the call made.
    world.fake.forget()
    expect(await world.call(annsToken, "read")).toBe("did read with read")
    expect(refreshed()).toBe(before + 2)
  })

  it("stay while their sign-in is away, and end when it says so", async () => {
    await world.connect(ann)
    await expire()
    world.fake.away(true)
    expect(await world.call(annsToken, "read")).toContain("does not answer as expected")
    expect(await world.connections(ann)).toMatchObject([{ failing_since: expect.any(String) }])
    world.fake.away(false)
    expect(await world.call(annsToken, "read")).toBe("did read with read")
    world.fake.forget(true)
    expect(await world.call(annsToken, "read")).toContain(link())
    expect(await grants()).toBe(0)
  })

  it("ask for the sum of scopes where the server wants more, once", async () => {
    await world.connect(ann)
    expect(await world.call(annsToken, "write")).toContain("has not granted this yet")
    expect(await world.connections(ann)).toMatchObject([{ wants_more: true }])
    await world.connect(ann)
    expect(world.fake.asked.at(-1)?.get("scope")).toBe("read write")
    expect(await world.call(annsToken, "write")).toBe("did write with read write")
    expect(await world.connections(ann)).toMatchObject([{ wants_more: false, scopes: ["read", "write"] }])
  })

  it("end with their person, and open for no other row", async () => {
    const tell = (path: string) => fetch(`${world.provider.issuer}/-/${path}`)
    await tell("group?name=ned&group=platform")
    const ned = await world.signedIn("ned")
    const nedsToken = await world.tokenOf(ned)
    await world.connect(ned)
    expect(await world.call(nedsToken, "read")).toBe("did read with read")
    const [row] = await world.run("SELECT person_id FROM mcp_grants ORDER BY connected_at DESC LIMIT 1")
    await world.send(ann, "DELETE", "/console/tools/jira")
    const annsId = `(SELECT id FROM people WHERE subject = 'ann')`
    await world.run(
      `INSERT INTO mcp_grants SELECT ${annsId}, server, url, issuer, sealed, scopes, wanted, expires_at, connected_at,
        claimed_until, failing_since FROM mcp_grants WHERE person_id = '${String(row?.["person_id"])}'`
    )
    expect(await world.call(annsToken, "read")).toContain(link())
    await tell("remove?name=ned")
    await world.run(
      `UPDATE people SET checked_at = checked_at - 300000`,
      `UPDATE provider_tokens SET tried_at = tried_at - 300000`
    )
    await ned.session(world.url)
    await expect.poll(grants, { timeout: 20_000 }).toBe(0)
  }, 40_000)
})
