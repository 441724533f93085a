import { X509Certificate } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "../../e2e/process.ts"
import { makeMachine, openWindow } from "./claude.ts"
import type { Machine } from "./claude.ts"
import type { Step } from "./scenarios.ts"
import type { Terminal } from "./terminal.ts"

const certificates = resolve(import.meta.dirname, "../../http/certificates")
const file = (name: string) => join(certificates, name)

const fingerprint = (name: string) =>
  new X509Certificate(readFileSync(file(`${name}.crt`))).fingerprint256.replaceAll(":", "").toLowerCase()

/** A gateway that speaks HTTPS. Its provider is not there: the client is refused before it matters. */
const startSecure = (name: string) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-secure-"))
  const config = {
    server: { tls: { cert: file(`${name}.crt`), key: file(`${name}.key`) }, public_url: "https://127.0.0.1:1" },
    sign_in: {
      oidc: [{ issuer: "http://localhost:1", client_id: "gateway", client_secret: "secret" }],
      roles: [{ group: "platform", role: "operator" }]
    }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  return startGateway({ folder })
}

/** What the client says of an address, before it signs in or when it starts with what it has kept. */
export const refusals: ReadonlyArray<Step> = [
  {
    name: "an address without TLS, except on loopback",
    run: () => told("http://10.1.2.3:8080", "Plain HTTP is only allowed for localhost")
  },
  {
    name: "a public address",
    run: () => told("https://8.8.8.8", "Gateway hosts must be on your organization's private network")
  },
  {
    name: "a certificate of an authority that it does not know, and of one that it was given",
    run: async () => {
      const gateway = await startSecure("first")
      try {
        await told(gateway.url, "Could not verify the gateway's TLS certificate")
        await told(gateway.url, `(SHA-256): ${fingerprint("first").slice(0, 16)}`, given("first"))
      } finally {
        await gateway.dispose()
      }
    }
  },
  {
    name: "another certificate than it signed in at",
    run: async () => {
      const gateway = await startSecure("second")
      const machine = makeMachine(gateway.url)
      machine.keep({
        gatewayTrust: { "127.0.0.1": fingerprint("first") },
        enterpriseGateway: {
          url: gateway.url,
          jwt: "gwt_of_the_tests",
          expiresAt: Date.now() + 3_600_000,
          tokenEndpoint: `${gateway.url}/oauth/token`,
          idpRefreshToken: "gwr_of_the_tests"
        }
      })
      machine.wasStarted()
      try {
        await seeing(machine, given("second"), async (window) => {
          await window.until("TLS certificate changed since you connected")
        })
      } finally {
        await gateway.dispose()
      }
    }
  }
]

const given = (name: string) => ({ NODE_EXTRA_CA_CERTS: file(`${name}.crt`) })

const told = (url: string, text: string, env: Readonly<Record<string, string>> = {}): Promise<void> =>
  seeing(makeMachine(url), env, async (window) => {
    await window.until("Choose the text style")
    await window.press("enter")
    await window.until("Enter to connect")
    await window.press("enter")
    await window.until(text)
  })

const seeing = async (
  machine: Machine,
  env: Readonly<Record<string, string>>,
  look: (window: Terminal) => Promise<void>
): Promise<void> => {
  const window = await openWindow(machine, [], env)
  try {
    await look(window)
  } finally {
    await window.stop()
    machine.dispose()
  }
}
