import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startProvider } from "../startProvider.ts"
import { Visitor } from "../visitor.ts"

/* `oidc-provider` ends its own sessions by the logout token of OpenID Connect Back-Channel Logout 1.0. */
let provider: Awaited<ReturnType<typeof startProvider>>
let gateway: GatewayHere
beforeAll(async () => {
  provider = await startProvider()
  gateway = await startGateway({ folder: provider.folder, env: provider.env })
})
afterAll(async () => {
  await gateway.dispose()
  await provider.stop()
})

const signedIn = async (name: string) => {
  const visitor = new Visitor()
  await visitor.signIn(gateway.url, name)
  return visitor
}
const isIn = async (visitor: Visitor) => (await visitor.session(gateway.url)).signed_in

/** Signs out at the provider's own page, as a person does who came there without the gateway. */
const signOutAt = async (visitor: Visitor) => {
  const url = `${provider.issuer}/session/end`
  const page = await (await visitor.send(url)).text()
  const [, action = ""] = /<form[^>]*action="([^"]+)"/.exec(page) ?? []
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? []
  const answer = await visitor.send(action, { method: "POST", body: new URLSearchParams({ xsrf, logout: "yes" }) })
  expect([200, 302, 303]).toContain(answer.status)
}

it("a session ends with the provider's own, and others of the same person go on", async () => {
  const [here, elsewhere] = [await signedIn("ann"), await signedIn("ann")]
  const stranger = await signedIn("bob")
  await signOutAt(here)
  await expect.poll(() => isIn(here)).toBe(false)
  expect([await isIn(elsewhere), await isIn(stranger)]).toEqual([true, true])
  const audit = await (await elsewhere.send(`${gateway.url}/admin/v1/audit?action=session.logout`)).json()
  expect(audit.data).toMatchObject([{ actor: provider.issuer, after: { sessions: 1 } }])
  // Signing in anew is not hindered by it.
  await here.signIn(gateway.url, "ann")
  expect(await isIn(here)).toBe(true)
  await signOutAt(here)
  await expect.poll(() => isIn(here)).toBe(false)
  expect(await isIn(elsewhere)).toBe(true)
})

it("signing out here goes on at the provider, which comes back to the console", async () => {
  const visitor = await signedIn("ann")
  const out = await visitor.send(`${gateway.url}/console/session`, {
    method: "DELETE",
    headers: { "x-gateway-csrf": (await visitor.session(gateway.url)).csrf }
  })
  const { provider_sign_out: url } = await out.json()
  const page = await (await visitor.send(url)).text()
  const [, action = ""] = /<form[^>]*action="([^"]+)"/.exec(page) ?? []
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? []
  const answer = await visitor.send(action, { method: "POST", body: new URLSearchParams({ xsrf, logout: "yes" }) })
  expect(answer.headers.get("location")).toBe(`${gateway.url}/console`)
  // The next sign-in there asks for the person again.
  const again = await visitor.send(`${gateway.url}/sign-in`)
  const asked = await visitor.send(again.headers.get("location") ?? "")
  expect(asked.headers.get("location")).toContain("/interaction/")
})
