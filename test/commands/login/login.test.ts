import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCommand } from "../../e2e/command.ts"
import { program } from "../../e2e/program.ts"
import { certificates, startFakeServer } from "./fakeServer.ts"
import type { FakeServer } from "./fakeServer.ts"

let home: string
let server: FakeServer

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gateway-login-"))
  server = startFakeServer()
})

afterEach(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

const folder = () => join(home, ".config/model-gateway")
const stored = () => JSON.parse(readFileSync(join(folder(), "tokens.json"), "utf8")) as Record<string, object>
const run = (args: ReadonlyArray<string>, env = {}) => runCommand(home, args, env)
const forms = (path: string) => server.asked.filter((one) => one.path === path).map(({ form }) => form)

describe("gateway login", () => {
  it("shows code and link, waits, and stores the tokens for the user alone", async () => {
    let pending = 0
    server.answerBy(({ path }) => {
      if (path === "/oauth/token" && ++pending === 3) server.approve()
      return undefined
    })
    const signedIn = await run(["login", `${server.url}/`])
    expect([signedIn.code, signedIn.out]).toEqual([0, ""])
    expect(signedIn.err).toBe(`This command opens no browser. Open this page yourself, on any device:

  ${server.url}/device?code=BCDF-GHJK

and approve this code there: BCDF-GHJK
Ask  [31mIT [0m
Waiting for the browser, 1:00 at most.
Signed in to ${server.url} as ann@corp.test; the tokens are in ${folder()}/tokens.json.
\`gateway token\` prints one for programs, \`gateway logout\` ends the sign-in.
`)
    expect(forms("/oauth/device_authorization")).toEqual([{ surface: "gateway_cli" }])
    for (const { client } of server.asked) expect(client).toMatch(/^model-gateway\/\d/)
    expect(forms("/oauth/token")).toEqual(
      Array.from({ length: 3 }, () => ({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "device-token"
      }))
    )
    expect(stored()).toEqual({
      [server.url]: {
        access_token: "access-1",
        refresh_token: "refresh-1",
        expires_at: expect.stringMatching(/Z$/),
        email: "ann@corp.test"
      }
    })
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder())) expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder()).toSorted()).toEqual(["lock", "tokens.json"])
    // The address from the environment, or the only one.
    expect((await run(["token"], { GATEWAY_URL: server.url })).out).toBe("access-1\n")
    expect((await run(["token"])).out).toBe("access-1\n")
    expect((await run(["complete", "token", ""])).out).toBe(`${server.url}\tann@corp.test\n`)
  })

  it("prints a key and stores nothing", async () => {
    server.approve()
    const made = await run(["login", "--key", server.url])
    expect([made.code, made.out]).toEqual([0, "gw_the_key\n"])
    expect(made.err).toContain(`${server.url}/device?code=BCDF-GHJK`)
    expect(forms("/oauth/device_authorization")).toEqual([{ surface: "gateway_cli", issues: "key" }])
    expect(readdirSync(home)).toEqual([])
  })

  it("goes to XDG_CONFIG_HOME, and keeps the sign-ins at other gateways", async () => {
    const other = startFakeServer()
    const env = { XDG_CONFIG_HOME: join(home, "configured") }
    try {
      for (const one of [server, other]) {
        one.approve()
        expect((await run(["login"], { ...env, GATEWAY_URL: one.url })).code).toBe(0)
      }
      expect(readdirSync(home)).toEqual(["configured"])
      const which = await run(["token"], env)
      expect([which.code, which.err]).toEqual([2, expect.stringContaining("2 gateways are signed in to")])
      expect((await run(["logout", server.url], env)).err).toBe(`Signed out of ${server.url}.\n`)
      expect((await run(["token"], env)).out).toBe("access-1\n")
    } finally {
      await other.stop()
    }
  })

  it("counts down on a terminal, and fails without a word on standard output when it is stopped", async () => {
    let shown = ""
    const terminal = new Bun.Terminal({ data: (_, bytes) => void (shown += new TextDecoder().decode(bytes)) })
    const child = Bun.spawn([...program(), "login", server.url], {
      cwd: home,
      env: { ...process.env, HOME: home },
      terminal
    })
    await expect.poll(() => shown).toContain("\r\u001B[KWaiting for the browser… 0:59 left")
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    terminal.close()
    const piped = Bun.spawn([...program(), "login", "--key", server.url], {
      cwd: home,
      env: { ...process.env, HOME: home },
      stdout: "pipe",
      stderr: "ignore"
    })
    await expect
      .poll(() => forms("/oauth/token").some(({ device_code }) => device_code === "device-key"), { timeout: 20_000 })
      .toBe(true)
    piped.kill("SIGTERM")
    expect([await piped.exited, await new Response(piped.stdout).text()]).toEqual([130, ""])
  })

  it.each([
    ["http://gateway.test", 2, "tokens are sent by https"],
    ["gateway.test", 2, "expected the address of a gateway"],
    ["https://ann:secret@gateway.test", 2, "expected the address of a gateway"],
    ["http://127.0.0.1:1", 1, "http://127.0.0.1:1 can't be reached"]
  ])("does not sign in to %s", async (address, code, message) => {
    const result = await run(["login", address])
    expect([result.code, result.out, result.err]).toEqual([code, "", expect.stringContaining(message)])
    expect(readdirSync(home)).toEqual([])
  })

  it.each([
    [
      "another origin",
      () => ({ token_endpoint: "https://elsewhere.test/oauth/token", issuer: "https://elsewhere.test" }),
      "; use https://elsewhere.test"
    ],
    [
      "another scheme",
      () => ({ device_authorization_endpoint: server.url.replace("http:", "https:") }),
      "addresses of another host"
    ],
    ["no addresses", () => ({ revocation_endpoint: 1 }), "is it a gateway?"]
  ])("does not follow discovery to %s", async (_, wrong, message) => {
    server.answerBy((asked) =>
      asked.path.startsWith("/.well-known/")
        ? server
            .answer(asked)
            .json()
            .then((metadata: object) => Response.json({ ...metadata, ...wrong() }))
        : undefined
    )
    const result = await run(["login", server.url])
    expect([result.code, result.err]).toEqual([1, expect.stringContaining(message)])
    expect(server.asked).toHaveLength(1)
  })

  it("follows no redirect, and says where there is no sign-in", async () => {
    server.answerBy(() => new Response(null, { status: 302, headers: { location: "https://elsewhere.test/" } }))
    expect((await run(["login", server.url])).err).toContain("answered with status 302: is it a gateway?")
    server.answerBy(() => Response.json({ error: "not_found" }, { status: 404 }))
    expect((await run(["login", server.url])).err).toContain("has no sign-in for people")
  })

  it("goes by the proxy of the environment", async () => {
    let head = ""
    const proxy = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket, bytes) => {
          head += bytes.toString()
          socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
        }
      }
    })
    try {
      const result = await run(["login", "https://gateway.test"], { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
      expect([result.code, head]).toEqual([1, expect.stringMatching(/^CONNECT gateway\.test:443 /)])
    } finally {
      proxy.stop(true)
    }
  })

  it("trusts the authorities that NODE_EXTRA_CA_CERTS names", async () => {
    const secure = startFakeServer({ isSecure: true })
    try {
      secure.approve()
      const stranger = await run(["login", secure.url])
      expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining("certificate")])
      const known = await run(["login", secure.url], { NODE_EXTRA_CA_CERTS: join(certificates, "first.crt") })
      expect([known.code, known.err]).toEqual([0, expect.stringContaining("Signed in to")])
    } finally {
      await secure.stop()
    }
  })

  it("says that its tokens open no admin commands", async () => {
    for (const name of ["login", "token"]) {
      expect((await run(["help", name])).out.replaceAll("\n", " ")).toMatch(/models \(\/v1\) alone/)
    }
  })
})
