import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"

const certificates = resolve(import.meta.dirname, "../http/certificates")
const pem = (name: string) => readFileSync(join(certificates, name), "utf8")

const config = "server: { tls: { cert: shown.crt, key: shown.key } }\n"

const folderWith = (cert: string, key: string, text = config) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-tls-"))
  writeFileSync(join(folder, "gateway.yaml"), text)
  copyFileSync(join(certificates, cert), join(folder, "shown.crt"))
  copyFileSync(join(certificates, key), join(folder, "shown.key"))
  return folder
}

/** Puts a pair in place as those do that renew certificates: each file whole. */
const show = (folder: string, name: string, key = pem(`${name}.key`)) => {
  for (const [file, text] of [
    ["shown.key", key],
    ["shown.crt", pem(`${name}.crt`)]
  ] as const) {
    writeFileSync(join(folder, `${file}.new`), text)
    renameSync(join(folder, `${file}.new`), join(folder, file))
  }
}

describe("a gateway with a certificate", () => {
  it("speaks HTTPS, shows the next certificate once its files have changed, and cuts no client", async () => {
    const folder = folderWith("first.crt", "first.key")
    const gateway = await startGateway({ folder })
    const asked = (ca: string, text: string, stream = false) =>
      fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}` },
        body: JSON.stringify({ model: "sandbox-text", max_tokens: 100, stream, messages: text }),
        keepalive: false,
        tls: { ca: pem(ca) }
      })
    try {
      expect(gateway.url).toMatch(/^https:/)
      expect((await asked("first.crt", "Hello!")).status).toBe(200)
      await expect(asked("second.crt", "Hello!")).rejects.toThrow()

      const stream = await asked("first.crt", "[[sandbox: delay=3s]] Hello!", true)
      show(folder, "second")
      await expect
        .poll(() =>
          asked("second.crt", "Hello!").then(
            ({ status }) => status,
            () => 0
          )
        )
        .toBe(200)
      await expect(asked("first.crt", "Hello!")).rejects.toThrow()
      expect(await stream.text()).toContain("message_stop")

      show(folder, "first", "no key")
      await expect.poll(gateway.output).toContain("shown.key holds no private key")
      expect((await asked("second.crt", "Hello!")).status).toBe(200)

      rmSync(join(folder, "shown.key"))
      Bun.spawnSync(["mkfifo", join(folder, "shown.key")])
      await expect.poll(gateway.output).toContain("shown.key can't be read (it is not a regular file)")
      expect((await asked("second.crt", "Hello!")).status).toBe(200)

      const last = await asked("second.crt", "[[sandbox: delay=1s]] Hello!", true)
      gateway.signal("SIGTERM")
      expect(await last.text()).toContain("message_stop")
      expect(await gateway.exited).toBe(0)
    } finally {
      await gateway.dispose()
    }
  })

  it("may have it for operators alone, and renews it there", async () => {
    const admin = "server: { admin: { port: 0, tls: { cert: shown.crt, key: shown.key } } }\n"
    const folder = folderWith("first.crt", "first.key", admin)
    const adminKey = "admin-key-0123456789abcdefghijklmnop"
    const gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
    const keys = (ca: string) =>
      fetch(`${gateway.adminUrl}/admin/v1/keys`, {
        headers: { authorization: `Bearer ${adminKey}` },
        keepalive: false,
        tls: { ca: pem(ca) }
      }).then(
        ({ status }) => status,
        () => 0
      )
    const open = () =>
      fetch(`${gateway.adminUrl}/console/session`, {
        method: "POST",
        body: JSON.stringify({ key: adminKey }),
        tls: { ca: pem("first.crt") }
      })
    try {
      expect([gateway.url, gateway.adminUrl]).toEqual([
        expect.stringMatching(/^http:/),
        expect.stringMatching(/^https:/)
      ])
      expect((await open()).headers.get("set-cookie")).toMatch(/^__Host-gateway_admin_session=.*; Secure$/)
      expect([await keys("first.crt"), await keys("second.crt")]).toEqual([200, 0])
      const before = await fetch(`${gateway.url}/healthz`)
      show(folder, "second")
      await expect.poll(() => keys("second.crt")).toBe(200)
      expect(await keys("first.crt")).toBe(0)
      expect(before.status).toBe(200)
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
      expect(gateway.output()).toContain('"setting":"server.admin.tls"')
      show(folder, "first", "no key")
      await expect.poll(gateway.output).toContain("server.admin.tls.key: ")
      gateway.signal("SIGTERM")
      expect(await gateway.exited).toBe(0)
    } finally {
      await gateway.dispose()
    }
  })

  it("does not begin with a pair that does not belong together, as the check says before", async () => {
    const folder = folderWith("first.crt", "second.key")
    for (const setting of ["server", "server.admin"]) {
      const tls = "tls: { cert: shown.crt, key: shown.key }"
      writeFileSync(
        join(folder, "gateway.yaml"),
        setting === "server" ? config : `server: { admin: { port: 0, ${tls} } }\n`
      )
      const message = `${setting}.tls.key: ${join(folder, "shown.key")} is not the key of ${join(folder, "shown.crt")}`
      for (const command of [["check"], ["serve"]]) {
        const { code, err, out } = await runCommand(folder, command, { GATEWAY_PORT: "0" })
        expect([command, code, `${out}${err}`]).toEqual([command, 1, expect.stringContaining(message)])
        expect(`${out}${err}`).not.toContain("PRIVATE")
      }
    }
  })
})
