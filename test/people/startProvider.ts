import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { behindProxy } from "../console/browser.ts"
import { providerProcess } from "./others/providerProcess.ts"
import { freePort } from "../freePort.ts"

/** The provider of `provider.ts`. @param gateway the address of its client. @param dex of another one */
export const startOidcProvider = async (gateway: string, dex?: string) => {
  const port = freePort()
  return providerProcess(`http://localhost:${port}`, ["bun", join(import.meta.dirname, "provider.ts")], {
    PROVIDER_PORT: String(port),
    GATEWAY_URL: gateway,
    ...(dex !== undefined && { DEX_URL: dex })
  })
}

/**
 * A provider in a process of its own, and a folder with the configuration of a gateway whose people it knows.
 *
 * @param roles further rules, and `more` of the configuration, in YAML
 */
export const startProvider = async ({ roles = "", more = "" } = {}) => {
  const port = freePort()
  const { issuer, stop } = await startOidcProvider(`http://127.0.0.1:${port}`)
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
  return { issuer, folder, env: { GATEWAY_PORT: String(port) }, stop }
}
