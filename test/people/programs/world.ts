import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import { statementsOn } from "../statementsOn.ts"
import { startProvider } from "../startProvider.ts"
import { Visitor } from "../visitor.ts"
import { gatewayEnv } from "../../sql/engines.ts"
import type { Engine } from "../../sql/engines.ts"

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
}

/** A gateway whose people sign in at a provider of another site, and programs that ask it for tokens. */
export const startWorld = async (engine: Pick<Engine, "name">, name: string) => {
  const provider = await startProvider()
  appendFileSync(
    join(provider.folder, "gateway.yaml"),
    `  managed_settings: { permissions: { deny: ["WebFetch"] } }
models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`
  )
  const env: Record<string, string> = { ...(await gatewayEnv(name)), ...provider.env }
  const database = env["GATEWAY_DATABASE_URL"] ?? join(provider.folder, "data/gateway.db")
  const gateway = await startGateway({ folder: provider.folder, env })
  const stop = async () => {
    await gateway.dispose()
    await provider.stop()
  }
  const run = (...statements: ReadonlyArray<string>) => statementsOn(engine, database, statements)

  let asked = 0
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    // Each from an address of its own.
    const from = `10.9.${(asked >> 8) & 255}.${asked++ & 255}`
    const answer = await fetch(gateway.url + path, {
      method: "POST",
      headers: { "x-forwarded-for": from, "user-agent": "claude-code/2.1.332" },
      body: new URLSearchParams(form)
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) }
  }

  const begin = async (form: Readonly<Record<string, string>> = { surface: "claude_code" }) =>
    (await post("/oauth/device_authorization", form)).body
  const poll = (device_code: string) => post("/oauth/token", { grant_type: deviceGrant, device_code })
  const refresh = (refresh_token: string) => post("/oauth/token", { grant_type: "refresh_token", refresh_token })

  const signedIn = async (name: string) => {
    const visitor = new Visitor()
    await visitor.signIn(gateway.url, name)
    return visitor
  }
  const device = async (visitor: Visitor, what: "find" | "decide", body: object) =>
    visitor.send(`${gateway.url}/console/devices/${what}`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(gateway.url)).csrf },
      body: JSON.stringify(body)
    })
  const find = (visitor: Visitor, code: string) => device(visitor, "find", { code })
  const decide = async (visitor: Visitor, code: string, decision: object) => {
    const answer = await device(visitor, "decide", { code, ...decision })
    return { status: answer.status, body: await answer.json() }
  }
  /** A program that a person has let in. */
  const letIn = async (name: string, account = "default"): Promise<Tokens> => {
    const begun = await begin()
    expect(await decide(await signedIn(name), begun.user_code, { approve: true, account })).toMatchObject({
      status: 200
    })
    return (await poll(begun.device_code)).body
  }
  const messages = (token: string, model = "sandbox-text") =>
    fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] })
    })
  const status = async (token: string) => (await messages(token)).status
  const keyOf = async (name: string) =>
    String(
      (
        await run(`SELECT k.id FROM keys k JOIN people p ON p.id = k.person_id
        WHERE p.subject = '${name}' AND k.revoked_at IS NULL ORDER BY k.created_at DESC`)
      )[0]?.["id"]
    )
  const changeKey = async (id: string, body: object) => {
    const ann = await signedIn("ann")
    const answer = await ann.send(`${gateway.url}/admin/v1/keys/${id}`, {
      method: "PATCH",
      headers: { "x-gateway-csrf": (await ann.session(gateway.url)).csrf },
      body: JSON.stringify(body)
    })
    expect(answer.status).toBe(200)
    // Changes reach every process within a second.
    await Bun.sleep(600)
  }

  return {
    provider,
    gateway,
    stop,
    run,
    post,
    begin,
    poll,
    refresh,
    signedIn,
    find,
    decide,
    letIn,
    messages,
    status,
    keyOf,
    changeKey
  } as const
}
