import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCommand } from "../../e2e/command.ts"
import { program } from "../../e2e/program.ts"
import { startFakeServer } from "./fakeServer.ts"
import type { FakeServer } from "./fakeServer.ts"

interface Stored {
  readonly access_token: string
  readonly refresh_token: string | null
  readonly expires_at: string
  readonly email: string | null
}

let home: string
let server: FakeServer

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gateway-token-"))
  server = startFakeServer()
  server.tokens()
})

afterEach(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

const file = () => join(home, ".config/model-gateway/tokens.json")
const stored = () => JSON.parse(readFileSync(file(), "utf8")) as Record<string, Stored>
const run = (...args: ReadonlyArray<string>) => runCommand(home, args)
const refreshing = () => server.asked.filter(({ form }) => form["grant_type"] === "refresh_token")

/** Stores a sign-in whose access token is good for so many seconds more. */
const signedIn = (seconds: number, url = server.url, refresh_token: string | null = "refresh-1") => {
  const expires_at = new Date(Date.now() + seconds * 1_000).toISOString()
  const one: Stored = { access_token: "access-1", refresh_token, expires_at, email: "ann@corp.test" }
  mkdirSync(join(file(), ".."), { recursive: true })
  writeFileSync(file(), JSON.stringify({ ...(existsSync(file()) ? stored() : {}), [url]: one }))
}

const start = (...args: ReadonlyArray<string>) =>
  Bun.spawn([...program(), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
    stdout: "pipe",
    stderr: "pipe"
  })

/** Whether a process handles a signal by itself (proc(5), SigCgt). */
const isCaught = (pid: number, signal: number): boolean => {
  const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

describe("gateway token", () => {
  it("prints the token that is good for five minutes more, and asks nobody", async () => {
    signedIn(310)
    await expect(run("token", server.url)).resolves.toMatchObject({ code: 0, out: "access-1\n", err: "" })
    expect(server.asked).toEqual([])
  })

  it("refreshes one that is not, and stores what came", async () => {
    signedIn(290)
    await expect(run("token")).resolves.toMatchObject({ code: 0, out: "access-2\n", err: "" })
    expect(refreshing().map(({ form }) => form)).toEqual([{ grant_type: "refresh_token", refresh_token: "refresh-1" }])
    expect(stored()[server.url]).toMatchObject({
      access_token: "access-2",
      refresh_token: "refresh-2",
      email: "ann@corp.test"
    })
    expect(Date.parse(stored()[server.url]?.expires_at ?? "") - Date.now()).toBeGreaterThan(3_500_000)
    await expect(run("token")).resolves.toMatchObject({ out: "access-2\n" })
    expect(refreshing()).toHaveLength(1)
  })

  it("keeps the refresh token where the answer has none", async () => {
    signedIn(10)
    server.answerBy(({ form }) =>
      form["grant_type"] === "refresh_token"
        ? Response.json({ access_token: "access-next", token_type: "bearer", expires_in: 600 })
        : undefined
    )
    expect((await run("token")).out).toBe("access-next\n")
    expect(stored()[server.url]).toMatchObject({ refresh_token: "refresh-1", email: "ann@corp.test" })
  })

  it("is refreshed once for many processes that ask at once, round after round", async () => {
    signedIn(-1)
    signedIn(-1, "https://other.test")
    const { "https://other.test": other } = stored()
    for (const round of [1, 2, 3]) {
      const outs = await Promise.all(Array.from({ length: 8 }, () => run("token", server.url)))
      for (const one of outs) expect(one).toMatchObject({ code: 0, err: "", out: `access-${round + 1}\n` })
      expect(refreshing()).toHaveLength(round)
      expect(stored()).toMatchObject({
        [server.url]: { refresh_token: `refresh-${round + 1}` },
        "https://other.test": other
      })
      signedIn(-1, server.url, `refresh-${round + 1}`)
    }
  })

  it("stores the answer that is under way when it is told to stop", async () => {
    signedIn(-1)
    const answering = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    server.answerBy(async (one) => {
      if (one.form["grant_type"] !== "refresh_token") return server.answer(one)
      const made = server.answer(one)
      asked.resolve()
      await answering.promise
      return made
    })
    const child = start("token")
    await asked.promise
    expect(isCaught(child.pid, 15)).toBe(true)
    child.kill("SIGTERM")
    // It has got the signal once it no longer catches a second one.
    await expect.poll(() => isCaught(child.pid, 15)).toBe(false)
    answering.resolve()
    expect([await child.exited, await new Response(child.stdout).text()]).toEqual([130, ""])
    expect(stored()[server.url]).toMatchObject({ access_token: "access-2", refresh_token: "refresh-2" })
  })

  it("is not held up by a process that was killed while it refreshed", async () => {
    signedIn(-1)
    const asked = Promise.withResolvers<void>()
    server.answerBy(({ form }) => {
      if (form["grant_type"] !== "refresh_token") return undefined
      asked.resolve()
      return new Promise<Response>(() => {})
    })
    const child = start("token")
    await asked.promise
    child.kill("SIGKILL")
    await child.exited
    server.answerBy(() => undefined)
    await expect(run("token")).resolves.toMatchObject({ code: 0, out: "access-2\n", err: "" })
  })

  it.each([401, 400])("removes the tokens when the refresh is refused with %i, and says what to do", async (status) => {
    signedIn(120)
    signedIn(3_600, "https://other.test")
    server.answerBy(({ form }) =>
      form["grant_type"] === "refresh_token" ? Response.json({ error: "invalid_grant" }, { status }) : undefined
    )
    await expect(run("token", server.url)).resolves.toMatchObject({
      code: 1,
      out: "",
      err: `gateway: the sign-in to ${server.url} has ended: run \`gateway login ${server.url}\`\n`
    })
    expect(Object.keys(stored())).toEqual(["https://other.test"])
    const again = await run("token", server.url)
    expect([again.code, again.err]).toEqual([
      1,
      `gateway: not signed in to ${server.url}: run \`gateway login ${server.url}\`\n`
    ])
  })

  it.each([
    [
      "a 503",
      () =>
        server.answerBy(({ path }) =>
          path === "/oauth/token" ? Response.json({ error: "invalid_grant" }, { status: 503 }) : undefined
        )
    ],
    ["a 503 of a proxy", () => server.answerBy(() => new Response("no backend", { status: 503 }))],
    [
      "a 429",
      () =>
        server.answerBy(({ path }) =>
          path === "/oauth/token" ? Response.json({ error: "invalid_grant" }, { status: 429 }) : undefined
        )
    ],
    [
      "a refusal that is none of the token",
      () =>
        server.answerBy(({ path }) =>
          path === "/oauth/token" ? Response.json({ error: "invalid_request" }, { status: 400 }) : undefined
        )
    ],
    [
      "another program's page",
      () => server.answerBy(() => new Response("<html>Sign in to the hotel's network</html>"))
    ],
    ["nothing", () => server.stop()]
  ])("keeps the tokens at %s, and prints the one that is good", async (_, fail) => {
    signedIn(120)
    await fail()
    const good = await run("token")
    expect([good.code, good.out]).toEqual([0, "access-1\n"])
    expect(good.err).toContain("not refreshed")
    const { [server.url]: one } = stored()
    writeFileSync(file(), JSON.stringify({ [server.url]: { ...one, expires_at: new Date(0).toISOString() } }))
    const over = await run("token")
    expect([over.code, over.out]).toEqual([1, ""])
    expect(stored()[server.url]).toMatchObject({ refresh_token: "refresh-1" })
  })

  it("waits three seconds at most while its token is good", async () => {
    signedIn(120)
    server.answerBy(() => new Promise<Response>(() => {}))
    const begun = performance.now()
    await expect(run("token")).resolves.toMatchObject({
      code: 0,
      out: "access-1\n",
      err: expect.stringContaining("within 3 s")
    })
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(refreshing()).toEqual([])
  })

  it("ends a sign-in without a refresh token with its access token", async () => {
    signedIn(120, server.url, null)
    expect((await run("token")).out).toBe("access-1\n")
    signedIn(-1, server.url, null)
    expect((await run("token")).err).toContain("has ended")
    expect([stored(), server.asked]).toEqual([{}, []])
  })

  it("says where nobody is signed in, and does not touch what it can't read", async () => {
    await expect(run("token")).resolves.toMatchObject({
      code: 1,
      err: "gateway: not signed in: run `gateway login ADDRESS`\n"
    })
    signedIn(-1)
    writeFileSync(file(), "{ half")
    for (const args of [
      ["token", server.url],
      ["login", server.url],
      ["logout", server.url]
    ]) {
      const result = await run(...args)
      expect([result.code, result.err]).toEqual([1, expect.stringContaining("remove it, and sign in again")])
    }
    expect([readFileSync(file(), "utf8"), server.asked]).toEqual(["{ half", []])
  })
})

describe("gateway logout", () => {
  it("revokes both tokens, the access token first, and removes them", async () => {
    signedIn(3_600)
    signedIn(3_600, "https://other.test")
    await expect(run("logout", server.url)).resolves.toMatchObject({
      code: 0,
      out: "",
      err: `Signed out of ${server.url}.\n`
    })
    expect(server.asked.slice(1)).toMatchObject([
      { path: "/oauth/revoke", form: { token: "access-1" } },
      { path: "/oauth/revoke", form: { token: "refresh-1", token_type_hint: "refresh_token" } }
    ])
    expect(Object.keys(stored())).toEqual(["https://other.test"])
    expect((await run("logout", server.url)).err).toBe(`Not signed in to ${server.url}.\n`)
  })

  it("removes them too where the gateway is away, and says that they live on there", async () => {
    signedIn(3_600)
    await server.stop()
    const result = await run("logout")
    expect([result.code, result.err]).toEqual([
      0,
      expect.stringMatching(/removed here, but not revoked at the gateway.*can't be reached/)
    ])
    expect(stored()).toEqual({})
  })
})
