import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describeOnEach } from "../../sql/engines.ts"
import { Visitor } from "../visitor.ts"
import { sharedKey, startToolsWorld } from "./toolsWorld.ts"

describeOnEach("attacks on people's accounts at servers", (engine) => {
  let world: Awaited<ReturnType<typeof startToolsWorld>>
  let ann: Visitor

  beforeAll(async () => {
    world = await startToolsWorld(
      engine,
      "tool-attacks",
      ({ issuer, url }) =>
        `crm: { url: "${url}", auth: person, client_id: pinned, client_secret: of-the-operator, issuer: "${issuer}" }, `
    )
    ann = await world.signedIn("ann")
  })
  afterAll(() => world.stop())
  beforeEach(() => world.fake.changed({}))

  const grants = async () => (await world.run("SELECT server FROM mcp_grants")).length

  it("are not completed in another browser, twice, or with another state", async () => {
    const callback = await world.begun(ann)
    expect(await world.callback(new Visitor(), callback)).toMatchObject({ status: 403, location: null })
    const bob = await world.signedIn("bob")
    await world.begun(bob)
    expect((await world.callback(bob, callback)).status).toBe(403)
    const other = new URL(callback)
    other.searchParams.set("state", "x")
    expect((await world.callback(ann, other.href)).status).toBe(403)
    expect((await world.callback(ann, `${callback}&state=x`)).status).toBe(403)
    expect(await grants()).toBe(0)
    const cookie = ann.cookies(world.url).get("gateway_connect") ?? ""
    expect((await world.callback(ann, callback)).status).toBe(303)
    ann.cookies(world.url).set("gateway_connect", cookie)
    expect((await world.callback(ann, callback)).status).toBe(403)
    await world.send(ann, "DELETE", "/console/tools/jira")
  })

  it("are refused where the answer names another issuer, or none although it has to", async () => {
    for (const iss of ["https://evil.test", `${world.fake.issuer}/`, undefined]) {
      world.fake.changed({ answer: { iss } })
      expect((await world.connect(ann)).page).toContain("not of the sign-in that was asked")
    }
    world.fake.changed({
      metadata: { authorization_response_iss_parameter_supported: false },
      answer: { iss: undefined }
    })
    expect((await world.connect(ann)).status).toBe(303)
    world.fake.changed({ answer: { code: undefined, error: "<b>access_denied" } })
    const { page } = await world.connect(ann)
    expect(page).not.toContain("<b>")
    await world.send(ann, "DELETE", "/console/tools/jira")
  })

  it("are made by a new registration once the sign-in has forgotten the former", async () => {
    const callback = await world.begun(ann)
    world.fake.clients.clear()
    expect((await world.callback(ann, callback)).page).toContain("<h1>Not connected</h1>")
    expect((await world.connect(ann)).status).toBe(303)
    await world.send(ann, "DELETE", "/console/tools/jira")
  })

  it("are not begun at metadata that lies", async () => {
    for (const [change, why] of [
      [{ metadata: { issuer: "https://evil.test" } }, "another issuer"],
      [{ metadata: { issuer: `${world.fake.issuer}/` } }, "another issuer"],
      [{ metadata: { code_challenge_methods_supported: ["plain"] } }, "PKCE"],
      [{ metadata: { code_challenge_methods_supported: undefined } }, "PKCE"],
      [{ metadata: { token_endpoint: "http://evil.test/token" } }, "without TLS"],
      [{ metadata: { authorization_endpoint: "javascript:alert(1)" } }, "without TLS"],
      [{ metadata: { authorization_endpoint: "http://evil.test/a" } }, "without TLS"],
      [{ resource: { resource: "https://evil.test/mcp" } }, "another resource"],
      [{ resource: { resource: `${world.fake.url}/deeper` } }, "another resource"],
      [{ resource: { authorization_servers: [] } }, "no authorization server"],
      [{ resource: { authorization_servers: ["http://169.254.169.254"] } }, "without TLS"],
      [{ resource: { authorization_servers: ["https://169.254.169.254"] } }, "can't be asked"],
      [{ resource: { authorization_servers: ["file:///etc"] } }, ""]
    ] as const) {
      world.fake.changed(change)
      const { body, status } = await world.send(ann, "POST", "/console/tools/jira/connect")
      expect([status, body.error?.message], JSON.stringify(change)).toEqual([400, expect.stringContaining(why)])
    }
    // Registered anew, at an address that answers too much, or elsewhere.
    await world.run("DELETE FROM mcp_clients")
    for (const path of ["large", "moved", "nothing"]) {
      world.fake.changed({ metadata: { registration_endpoint: `${world.fake.issuer}/${path}` } })
      expect((await world.send(ann, "POST", "/console/tools/jira/connect")).status).toBe(400)
    }
    expect(await grants()).toBe(0)
  })

  it("show a configured secret to the configured issuer alone, whatever the server names", async () => {
    const asked: Array<string> = []
    using evil = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        asked.push(`${request.url} ${await request.text()}`)
        const url = new URL(request.url).origin
        return Response.json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          code_challenge_methods_supported: ["S256"]
        })
      }
    })
    const connect = () => world.send(ann, "POST", "/console/tools/crm/connect")
    const own = `http://127.0.0.1:${evil.port}`
    world.fake.changed({ resource: { authorization_servers: [own] } })
    const { body, status } = await connect()
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining("another authorization server")])
    expect(asked).toEqual([])
    // A server that registers itself there may.
    expect((await world.send(ann, "POST", "/console/tools/jira/connect")).body.error?.message).toContain("no way")
    expect(asked).toHaveLength(1)
    // Of several that it names, the configured one counts.
    world.fake.changed({ resource: { authorization_servers: [own, world.fake.issuer] } })
    const callback = `${world.url}/oauth/mcp/callback`
    world.fake.clients.set("pinned", { secret: "of-the-operator", redirects: [callback] })
    const begun = await fetch((await connect()).body.location, { redirect: "manual" })
    expect((await world.callback(ann, begun.headers.get("location") ?? "")).status).toBe(303)
    expect(asked).toHaveLength(1)
    expect(await grants()).toBe(1)
    await world.send(ann, "DELETE", "/console/tools/crm")
  })

  it("are begun by the person of a session alone, from the gateway's own page", async () => {
    const asked = (headers: Record<string, string>) =>
      ann.send(`${world.url}/console/tools/jira/connect`, { method: "POST", headers })
    const { csrf } = await ann.session(world.url)
    expect((await asked({})).status).toBe(403)
    expect((await asked({ "x-gateway-csrf": csrf, origin: "https://evil.test" })).status).toBe(403)
    const byKey = { method: "POST", headers: { authorization: `Bearer ${sharedKey}` } }
    expect((await fetch(`${world.url}/console/tools/jira/connect`, byKey)).status).toBe(401)
    for (const name of ["sandbox-tools", "none", "__proto__", "constructor"]) {
      expect((await world.send(ann, "POST", `/console/tools/${name}/connect`)).status).toBe(404)
    }
    expect((await world.send(ann, "DELETE", "/console/tools/jira")).status).toBe(404)
  })
})
