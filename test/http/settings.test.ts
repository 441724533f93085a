import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import { program } from "../e2e/program.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-settings-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a gateway that is not supposed to start. */
const refused = async (env: Readonly<Record<string, string>>, cwd = folder) => {
  const child = Bun.spawn([...program(), "serve"], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GATEWAY_PORT: "0",
      GATEWAY_DATABASE_URL: "sqlite::memory:",
      ...env
    }
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

const yaml = (text: string) => {
  const path = join(folder, `${Bun.hash(text)}.yaml`)
  writeFileSync(path, text)
  return { GATEWAY_CONFIG: path }
}
const notDatabase = join(folder, "text")
writeFileSync(notDatabase, "not a database at all, but long enough to look at".repeat(20))

describe("a start that can't be", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      "a port that is no number",
      { GATEWAY_PORT: "eighty" },
      'GATEWAY_PORT: expected a port number from 0 to 65535; got "eighty"'
    ],
    ["a port out of range", { GATEWAY_PORT: "70000" }, "GATEWAY_PORT: expected a port number from 0 to 65535"],
    ["an address of another machine", { GATEWAY_HOST: "203.0.113.9" }, "can't listen on 203.0.113.9:0"],
    ["a time that is none", { GATEWAY_DRAIN_SECONDS: "soon" }, "GATEWAY_DRAIN_SECONDS: expected a number"],
    ["a short key", { GATEWAY_BOOTSTRAP_KEY: "short" }, "GATEWAY_BOOTSTRAP_KEY: expected 24 characters or more"],
    ["an unknown database", { GATEWAY_DATABASE_URL: "mysql://x" }, "GATEWAY_DATABASE_URL: expected sqlite:"],
    [
      "a folder for a database",
      { GATEWAY_DATABASE_URL: "sqlite:/proc/none/x.db" },
      "database /proc/none/x.db can't be opened"
    ],
    ["a file that is no database", { GATEWAY_DATABASE_URL: `sqlite:${notDatabase}` }, "can't be opened"],
    ["a missing file", { GATEWAY_CONFIG: "/none.yaml" }, "/none.yaml"],
    ["broken YAML", yaml("server: [1"), ".yaml:1: "],
    ["a wrong field", yaml("server: { port: x }"), "server.port: expected a number"],
    ["an unknown field", yaml("serve: {}"), "serve: is not a known field"],
    ["an origin that is none", yaml("server: { cors_origins: [app] }"), "server.cors_origins[0]: expected an origin"],
    [
      "a port of both addresses",
      { ...yaml("server: { admin: { host: 10.0.0.5, port: 4711 } }"), GATEWAY_PORT: "4711" },
      ".yaml:1: server.admin.port: 4711 is the port of the public address (server.port): operators need another"
    ],
    [
      "the same by a variable",
      { GATEWAY_PORT: "4711", GATEWAY_ADMIN_PORT: "4711" },
      "GATEWAY_ADMIN_PORT: 4711 is the port"
    ],
    [
      "an operators' address of another machine",
      { GATEWAY_ADMIN_HOST: "203.0.113.9", GATEWAY_ADMIN_PORT: "0" },
      "can't listen on 203.0.113.9:0 (server.admin): this machine has no such address"
    ],
    ["a missing variable", yaml('keys: [{ name: a, secret: "${NOPE}" }]'), "the environment has no variable NOPE"]
  ])("says so in one line: %s", async (_, env, line) => {
    const { code, err, out } = await refused(env)
    expect(out.replace(/^.*a directory can't be written.*\n/m, "")).toBe("")
    expect(err).toContain(line)
    expect(err.trim().split("\n")).toHaveLength(1)
    expect(err).toMatch(/^gateway: /)
    expect(code).toBe(1)
  })

  it("says so where another process has the port, or the database", async () => {
    const gateway = await startGateway()
    try {
      const { port } = new URL(gateway.url)
      const onPort = await refused({ GATEWAY_PORT: port })
      expect(onPort).toEqual({
        code: 1,
        out: "",
        err: `gateway: can't listen on 127.0.0.1:${port}: the port is in use\n`
      })
      const onAdminPort = await refused({ GATEWAY_ADMIN_PORT: port })
      expect(onAdminPort).toEqual({
        code: 1,
        out: "",
        err: `gateway: can't listen on 127.0.0.1:${port} (server.admin): the port is in use\n`
      })
      const onFile = await refused({ GATEWAY_DATABASE_URL: "sqlite:data/gateway.db" }, gateway.folder)
      expect(onFile).toEqual({
        code: 1,
        out: "",
        err: `gateway: database data/gateway.db is in use by another gateway (process ${gateway.pid})\n`
      })
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    } finally {
      await gateway.dispose()
    }
  })
})
