import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { behindProxy } from "../console/browser.ts"
import { freePort } from "../sql/postgresServer.ts"

/**
 * A provider in a process of its own, and a folder with the configuration of a gateway whose people it knows.
 *
 * @param roles further rules, and `more` of the configuration, in YAML
 */
export const startProvider = async ({ roles = "", more = "" } = {}) => {
  const [at, port] = [await freePort(), await freePort()]
  const issuer = `http://localhost:${at}`
  const folder = mkdtempSync(join(tmpdir(), "gateway-people-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `${behindProxy}sign_in:
  oidc: [{ issuer: "${issuer}", client_id: gateway, client_secret: gateway-secret }]
  roles:
    - { group: platform, role: operator }
    - { group: team-*, role: manager, accounts: ["{group}"] }
${roles}${more}`
  )
  const child = Bun.spawn(["bun", join(import.meta.dirname, "provider.ts")], {
    env: { PATH: process.env["PATH"] ?? "", PROVIDER_PORT: String(at), GATEWAY_URL: `http://127.0.0.1:${port}` },
    stdout: "pipe",
    stderr: "ignore"
  })
  let printed = ""
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk)
    if (printed.includes("provides at")) break
  }
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { issuer, folder, env: { GATEWAY_PORT: String(port) }, stop }
}
