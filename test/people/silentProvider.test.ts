import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { anyAddress, behindProxy } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

it("a provider that does not answer is not asked for each logout token that a stranger sends", async () => {
  let asked = 0
  const provider = Bun.serve({
    port: 0,
    fetch: () => {
      asked++
      return new Response("away", { status: 500 })
    }
  })
  const issuer = `http://localhost:${provider.port}`
  const folder = mkdtempSync(join(tmpdir(), "gateway-silent-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `${behindProxy}sign_in:
  oidc: [{ issuer: "${issuer}", client_id: gateway, client_secret: gateway-secret }]
  roles: [{ group: platform, role: operator }]
`
  )
  const gateway = await startGateway({ folder })
  const send = () =>
    fetch(`${gateway.url}/sign-in/logout`, {
      method: "POST",
      headers: { "x-forwarded-for": anyAddress() },
      body: new URLSearchParams({ logout_token: `${part({ alg: "RS256" })}.${part({ iss: issuer })}.eA` })
    })
  try {
    const answers = [...(await Promise.all(Array.from({ length: 10 }, send))), await send()]
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(400))
    expect(asked).toBe(1)
  } finally {
    await gateway.dispose()
    await provider.stop(true)
  }
})
