import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { behindProxy } from "../console/browser.ts"
import { providerProcess } from "./others/providerProcess.ts"
import { freePort } from "../freePort.ts"

/** The provider of `provider.ts`. @param gateway the address of its client. @param dex of another one. @param admin of its operators */
export const startOidcProvider = async (gateway: string, dex?: string, admin?: string) => {
  const port = freePort()
  return providerProcess(`http://localhost:${port}`, ["bun", join(import.meta.dirname, "provider.ts")], {
    PROVIDER_PORT: String(port),
    GATEWAY_URL: gateway,
    ...(dex !== undefined && { DEX_URL: dex }),
    ...(admin !== undefined && { ADMIN_URL: admin })
  })
}

/**
 * A provider in a process of its own, and a folder with the configuration of a gateway whose people it knows.
 *
 * @param roles further rules, and `more` of the configuration, in YAML
 * @param isApart true if its operators have an address of their own
 */
export const startProvider = async ({ isApart = false, more = "", roles = "" } = {}) => {
  const port = freePort()
  const adminPort = isApart ? freePort() : undefined
  const { issuer, stop } = await startOidcProvider(
    `http://127.0.0.1:${port}`,
    undefined,
    adminPort === undefined ? undefined : `http://127.0.0.1:${adminPort}`
  )
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
  const env = {
    GATEWAY_PORT: String(port),
    ...(adminPort !== undefined && { GATEWAY_ADMIN_PORT: String(adminPort) })
  }
  return { issuer, folder, env, stop }
}
