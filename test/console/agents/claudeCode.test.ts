import { resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { differences } from "../../agents/login/differences.ts"
import { startOurs } from "../../agents/login/ours.ts"
import { recorded } from "../../agents/login/recorded.ts"
import type { Exchange } from "../../agents/login/recorder.ts"
import type { SignInServer } from "../../agents/login/server.ts"

/*
 * What Claude Code sends to its own gateway, sent to this one: `bun run test:long agents:login reference --write` has
 * recorded it, from the real client.
 */
let server: SignInServer
let upstream: Bun.Subprocess<"ignore", "pipe", "inherit">

beforeAll(async () => {
  upstream = Bun.spawn([process.execPath, resolve(import.meta.dirname, "../../agents/upstream/main.ts")], {
    stdout: "pipe",
    stderr: "inherit"
  })
  const { value } = await upstream.stdout.getReader().read()
  server = await startOurs(new TextDecoder().decode(value).split(" ")[0] ?? "")
})
afterAll(async () => {
  await server.stop()
  upstream.kill()
})

const all = recorded()

/**
 * Sends the recorded requests of this name, with what this sign-in has in place of their secrets; they are answered with the
 * statuses that the reference has answered with.
 */
const send = async (name: string, given: Readonly<Record<string, string>> = {}) => {
  const wanted = all.filter(({ body, method, path, status }) =>
    `${method} ${path.split("?")[0]} ${status} ${new URLSearchParams(body).get("grant_type") ?? ""}`.startsWith(name)
  )
  expect(wanted.length).toBeGreaterThan(0)
  let last = { headers: new Headers(), text: "" }
  for (const exchange of wanted) {
    const answer = await fetch(server.url + exchange.path, {
      method: exchange.method,
      headers: headersOf(exchange, given),
      ...(exchange.body === "" ? {} : { body: bodyOf(exchange, given) })
    })
    last = { headers: answer.headers, text: await answer.text() }
    expect({ name, status: answer.status, text: last.text }).toEqual({ name, status: exchange.status, text: last.text })
  }
  return last
}

const headersOf = ({ headers }: Exchange, { access_token = "", etag = "" }: Readonly<Record<string, string>>) => ({
  ...headers,
  ...("authorization" in headers ? { authorization: `Bearer ${access_token}` } : {}),
  ...("if-none-match" in headers ? { "if-none-match": etag } : {})
})

const bodyOf = ({ body, headers }: Exchange, given: Readonly<Record<string, string>>): string => {
  if (headers["content-type"] === "application/json") return body
  const form = new URLSearchParams(body)
  for (const name of form.keys()) form.set(name, given[name] ?? form.get(name) ?? "")
  return form.toString()
}

const device = "urn:ietf:params:oauth:grant-type:device_code"

it("is answered what Claude Code's own gateway answers, field by field", { timeout: 120_000 }, async () => {
  await send("GET /.well-known/oauth-authorization-server 200")
  const begun = JSON.parse((await send("POST /oauth/device_authorization 200")).text)
  await send("POST /oauth/token 400", begun)
  await server.approve(begun.user_code, "ann")
  let tokens = JSON.parse((await send(`POST /oauth/token 200 ${device}`, begun)).text)
  const { headers } = await send("GET /managed/settings 200", tokens)
  await send("GET /managed/settings 304", { ...tokens, etag: headers.get("etag") ?? "" })
  tokens = JSON.parse((await send("POST /oauth/token 200 refresh_token", tokens)).text)
  await send("GET /api/oauth/usage 200", tokens)
  await server.budget("ann", 500)
  await expect
    .poll(async () => (await send("GET /api/oauth/usage 200", tokens)).text, { timeout: 5_000 })
    .toContain('"spend"')
  await send("POST /v1/messages 200", tokens)
  await send("POST /v1/messages 400", tokens)
  await send("POST /v1/metrics 200", tokens)
  await send("POST /v1/logs 200", tokens)
  await server.budget("ann", 0.000_001)
  await send("POST /v1/messages 429", tokens)
  await server.provider("away", tokens.refresh_token)
  await send("POST /oauth/token 503", tokens)
  await server.provider("back", tokens.refresh_token)
  await server.putOut("ann", tokens.refresh_token)
  await send("POST /oauth/token 401", tokens)
  const wrong = differences(server.exchanges(), all).filter(({ wrong }) => wrong !== undefined)
  expect(wrong).toEqual([])
})
