import { join } from "node:path"
import { gatewayEnv } from "../../sql/engines.ts"
import type { Engine } from "../../sql/engines.ts"
import { startGateway } from "../../gatewayHere.ts"
import { codeProgram } from "../programs/codeProgram.ts"
import { startProvider } from "../startProvider.ts"
import { statementsOn } from "../statementsOn.ts"
import { Visitor } from "../visitor.ts"
import { fakeSignIn } from "./fakeSignIn.ts"

/** A key of no person. */
export const sharedKey = "shared-key-0123456789abcdefghijk"

/**
 * A gateway whose people connect their accounts at a server of this process.
 *
 * @param more further servers of the configuration
 */
export const startToolsWorld = async (
  engine: Pick<Engine, "name">,
  name: string,
  more: (fake: ReturnType<typeof fakeSignIn>) => string = () => ""
) => {
  const fake = fakeSignIn()
  const provider = await startProvider({
    more: `mcp: { servers: { jira: { url: "${fake.url}", auth: person }, ${more(fake)}sandbox-tools: { url: sandbox } } }
keys: [{ name: shared, secret: ${sharedKey}, account: default }]
`
  })
  const env: Record<string, string> = {
    ...(await gatewayEnv(name)),
    ...provider.env,
    GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8"
  }
  const database = env["GATEWAY_DATABASE_URL"] ?? join(provider.folder, "data/gateway.db")
  const gateway = await startGateway({ folder: provider.folder, env })
  const url = gateway.url.replace(/\/$/, "")
  const program = codeProgram(url)

  const signedIn = async (person: string) => {
    const visitor = new Visitor()
    await visitor.signIn(gateway.url, person)
    return visitor
  }
  const send = async (visitor: Visitor, method: string, path: string) => {
    const answer = await visitor.send(url + path, {
      method,
      headers: { "x-gateway-csrf": (await visitor.session(url)).csrf }
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  /** The callback's address, as the server's sign-in gives it. */
  const begun = async (visitor: Visitor): Promise<string> => {
    const { body } = await send(visitor, "POST", "/console/tools/jira/connect")
    const answer = await fetch(body.location, { redirect: "manual" })
    return answer.headers.get("location") ?? `no callback: ${answer.status} ${await answer.text()}`
  }
  const callback = async (visitor: Visitor, address: string) => {
    const answer = await visitor.send(address, { isForeign: true })
    return { status: answer.status, location: answer.headers.get("location"), page: await answer.text() }
  }
  const connect = async (visitor: Visitor) => callback(visitor, await begun(visitor))
  const connections = async (visitor: Visitor) => (await send(visitor, "GET", "/console/tools/connections")).body.data

  /** A token of a person's program for `/mcp`. */
  const tokenOf = async (visitor: Visitor): Promise<string> => {
    const redirect = "http://127.0.0.1:1/cb"
    const client = (await program.register([redirect])).body.client_id
    const address = program.address({ client_id: client, redirect_uri: redirect })
    const code = (await program.approved(visitor, address)).get("code") ?? ""
    return (await program.exchange({ code, client_id: client, redirect_uri: redirect })).body.access_token
  }

  /** A token of a person's program for models, by the device flow. */
  const modelTokenOf = async (visitor: Visitor): Promise<string> => {
    const form = async (path: string, body: Readonly<Record<string, string>>) =>
      (await fetch(url + path, { method: "POST", body: new URLSearchParams(body) })).json()
    const begun = await form("/oauth/device_authorization", {})
    await visitor.send(`${url}/console/devices/decide`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(url)).csrf },
      body: JSON.stringify({ code: begun.user_code, approve: true, account: "default" })
    })
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code"
    return (await form("/oauth/token", { grant_type, device_code: begun.device_code })).access_token
  }
  /** A model's answer to a request that names the server. */
  const respond = async (token: string) => {
    const answer = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        model: "sandbox-text",
        input: "Hi",
        tools: [{ type: "mcp", server_label: "jira", require_approval: "never" }]
      })
    })
    return { status: answer.status, body: await answer.json() }
  }

  const rpc = async (token: string, message: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
    })
    return (await answer.json()).result
  }
  const names = async (token: string): Promise<ReadonlyArray<string>> =>
    (await rpc(token, { method: "tools/list" })).tools
      .map(({ name }: { readonly name: string }) => name)
      .filter((name: string) => name.startsWith("jira"))
  /** The text of a call. */
  const call = async (token: string, name: string): Promise<string> =>
    (await rpc(token, { method: "tools/call", params: { name: `jira__${name}`, arguments: {} } })).content[0].text
  /** The same from a client of the newest revision, which leads its person to addresses. */
  const led = (token: string, more: object = {}) =>
    rpc(
      token,
      {
        method: "tools/call",
        params: {
          name: "jira__read",
          arguments: {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } }
          },
          ...more
        }
      },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "jira__read" }
    )

  return {
    url,
    fake,
    provider,
    gateway,
    run: (...statements: ReadonlyArray<string>) => statementsOn(engine, database, statements),
    signedIn,
    send,
    begun,
    callback,
    connect,
    connections,
    tokenOf,
    modelTokenOf,
    respond,
    names,
    call,
    led,
    stop: async () => {
      await gateway.dispose()
      await provider.stop()
      await fake.stop()
    }
  } as const
}
